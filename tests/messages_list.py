"""List every sentence of mdmem with the places that say it: `python -m tests.messages_list [LANG] [WORDS]`.

The tests read the same list: a sentence that nobody says and a key that nobody wrote are mistakes.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import mdmem
from mdmem.errors import ExitCode
from mdmem.git.model import PARTS
from mdmem.messages.folders import templates_folder

PACKAGE = Path(mdmem.__file__).parent
FILES = ("messages", "rules", "help")
_WRAPPERS = {"usage_error": "usage."}  # functions whose first argument is a key without its table
_REPORT = {"lint.py", "lint_report.py"}  # their `say` knows `[cli.lint]` alone
_HOLE = "{}"


# Keys that are put together at run time: what stands in the hole.
DYNAMIC: dict[str, tuple[str, ...]] = {
    "plan.other-{}": ("moved", "session", "both"),
    "handoff.no-{}": ("giver", "receiver"),
    "handoff.no-{}.hint": ("giver", "receiver"),
    "bundle.unfit-{}": (
        "toml", "keys", "format", "value", "name", "kind", "other-kind", "touches", "outside", "path",
        "foreign", "twice", "folder", "no-skill", "beside", "no-manifest", "other-name", "missing", "unlisted",
        "digest", "no-file", "locked", "encoding", "many", "large", "broken", "signature", "no-key", "no-ssh",
        "no-description", "unsafe", "unsafe-name",
    ),
    "bundle.{}": ("unsigned", "signed", "signed-anybody", "overlay-merged", "overlay-collided"),
    "cli.bundle.{}": ("name", "version", "license", "pieces", "state", "trusted", "untrusted", "changed"),
    "cli.bundle-signed-{}": ("by", "nobody", "anybody"),
    "import.zip-{}": ("link", "device", "outside", "unshown", "twice", "bomb"),
    "import.kind-{}": ("fact", "line", "session", "episode", "file", "copy", "attachment"),
    "import.predicate-{}": ("fact", "preference", "rule", "skill", "error", "persona_trait"),
    "connect.{}": ("connected", "unchanged", "planned", "removed", "none", "changed"),
    "connect.next-{}": ("claude", "codex", "gemini", "cursor", "hermes"),
    "connect.check-{}": ("good", "gone", "changed", "broken", "disabled", "moved"),
    "connect.plugin-{}": ("good", "old", "gone", "edited", "broken"),
    "connect.folder-{}": ("foreign", "changed"),
    "cli.context.{}": (
        "part", "tokens", "share", "items", "cut", "view", "told", "expired", "rounds", "hidden", "compiled", "retired",
        "placeholder", "output", "code", "off", "missing", "unreadable", "unknown", "empty", "repeated", "unsafe",
        "elsewhere", "faded",
    ),
    "cli.exit.{}": tuple(one.name.lower().replace("_", "-") for one in ExitCode),
    "cli.help.{}": (
        "usage", "about", "verb", "arguments", "options", "anywhere", "verbs", "more", "exits", "optional",
    ),
    "cli.hook.{}": ("removed", "none"),
    "git.part-{}": PARTS,
    "git.asks-{}": ("address", "instead", "hook", "hooks", "program", "objects", "more"),
    "resolve.{}": tuple(
        mark + name
        for mark in ("", "marks-")
        for name in ("done", "three-way", "union", "conflicts", "crowded", "proposal")
    ),
    "git.is-{}": ("made", "present", "removed", "absent", "another"),
    "sync.step-{}": ("commit", "fetch", "merge", "push"),
    "sync.collision-{}": ("both", "removed-there", "removed-here"),
    "cli.index.{}": ("file", "cache", "memory", "whole", "mended", "wrong"),
    "cli.lint.{}": ("error", "warning", "note"),
    "keeper.more-{}": ("rules", "alone"),
    "settings.held-{}": ("last", "part", "shipped"),
    "kind.{}": ("knowledge_version",),  # in English the others are called by their own name
    "model.failed-{}": ("absent", "sign-in", "quota", "network", "time", "junk", "spent", "other"),
    "mcp.argument-{}": ("recipe", "query"),
    "night.is-{}": ("done", "unchanged", "stopped", "refused", "failed"),
    "night.step-{}": (
        "learn", "extract", "dedup", "corrections", "decay", "portrait", "compile", "ageing", "instructions",
    ),
    "night.{}": (
        "kept", "merged", "moved", "extracted", "taught", "proposed", "refreshed", "refused", "unchanged", "planned",
        "plan-refused", "nothing",
    ),
    "review.step-{}": (
        "knowledge", "handoff", "extract", "corrections", "episode", "scratchpad", "review", "learn",
        "left-over", "portrait",
    ),
    "learning.{}": ("instead", "after"),
    "knowledge.{}": ("untried", "thin", "better", "undecided"),
    "cli.knowledge.{}": (
        "version", "successes", "rate", "rounds", "tools", "errors", "tokens",
    ),
    "scratchpad.head-{}": ("projects", "progress", "questions", "steps"),
    "cli.lint.{}s": ("error", "warning", "note"),
    "cli.rule.{}": ("code", "name", "severity", "finds", "why", "bad", "good", "fix"),
    "cli.search.by-{}": ("newest", "words", "context", "meaning", "time", "neighbours", "story", "asked"),
    "cli.session.{}": ("request", "response", "success", "partial", "failed", "ongoing", "unknown"),
    "cli.status.{}": ("file", "kind", "entries", "size", "state"),
    "cli.{}": (
        "entry", "words", "copy", "name", "version", "displaced", "line", "derived", "attached",
    ),
    "extract.why-{}": (
        "question", "request", "small-talk", "transient", "doubtful", "plain", "vague", "unimportant", "too-long",
        "too-many", "malformed", "unfit", "forgotten", "refused", "deleted",
    ),
    "extract.word-{}": ("user", "project", "rule", "file", "run", "other"),
    "extract.{}": ("new", "updated", "known", "waits"),
    "fact.one-property-{}": ("known", "same-value"),
    "fact.{}": ("new", "confirm", "update", "late", "beside", "retract", "ask"),
    "keeper.reason-{}": ("return", "retire", "merge", "expire"),
    "keeper.work-{}": (
        "extract", "window", "compact", "compact-waiting", "return", "expire", "retire", "merge", "tidy",
        "tidy-entries", "roll", "roll-entries",
    ),
    "keeper.{}": (
        "expired", "retired", "days-merged", "wrong-path", "moved-on", "no-operations", "no-section", "no-run", "twice",
        "left-out", "invented-section", "empty", "too-long", "too-many", "entry-too-long", "unfit", "grew",
        "rule-lost", "invented", "too-little", "too-many-tokens", "answer-too-long", "answer-empty", "answer-no-json",
        "answer-half", "answer-no-choice", "answer-several", "answer-shape", "answer-unicode",
        "episode-shape", "episode-outcome",
        "answer-key-twice", "answer-tool",
        "meaning-negated", "meaning-certain", "meaning-subject", "meaning-moved", "meaning-unfounded",
    ),
    "pen.doctor-{}": (
        "settings", "settings-off", "settings-wait", "can-write", "can-locks", "can-confined", "can-exchange",
        "can-lease", "can-attributes", "history", "damaged-object", "damaged-line", "unfinished", "aside",
    ),
    "pen.forget-{}": ("done", "planned", "partial", "unchanged"),
    "pen.kind-{}": ("promise", "rule", "preference", "event", "fact"),
    "pen.name-{}": ("long", "character", "unicode", "reserved", "ending", "hidden", "name"),
    "pen.{}": (
        "joined", "unmarked", "escaped", "dated", "duplicate", "duplicate-here", "said", "part", "section-made",
        "nested", "lines-gone", "old-elsewhere", "old-corrected", "loose-match", "archived", "not-archived",
        "waits-already",
    ),
    "pin.fact-{}": ("agent", "task", "started", "round", "tool", "input", "exit"),
    "pin.gone-{}": (
        "run", "compacted", "merged", "removed", "deleted", "expired", "outdated", "superseded", "decayed",
    ),
    "session.{}": ("user", "assistant", "tool", "system"),
    "tool.{}": (
        "unknown-key", "missing-key", "string", "integer", "array", "boolean", "object", "length", "too-long",
        "half-character", "enum",
    ),
    "vectors.{}": ("package", "model"),
    "watch.{}": ("events", "polling"),
}  # fmt: skip
_COMPUTED = ("usage.{}", "pages.{}", "pen.doctor-{}.hint")  # wrappers, and keys that stand above
_RENAMES = ("Renamed", "warn_renamed")  # their texts are names of methods
_SETTINGS = ("keeper.backend", "vectors.backend", "vectors.db", "cli.lint", "log.reason-")  # are no keys


class Use(NamedTuple):
    """A place in the code that names a key; `{}` stands for what is known at run time only."""

    key: str
    place: str


def tables(lang: str) -> dict[str, str]:
    """Return the sentences of a language by their keys, without those of the rules' pages."""
    import tomllib

    found: dict[str, str] = {}
    for file in FILES:
        values = tomllib.loads((Path(templates_folder()) / lang / f"{file}.toml").read_text("utf-8"))
        found |= dict(_flat("" if file == "messages" else f"{file}.", values))
    return found


def _flat(prefix: str, values: dict[str, object]) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{key}.", value)
        else:
            assert isinstance(value, str), f"{prefix}{key} is no text"
            yield prefix + key, value


@cache
def uses() -> tuple[Use, ...]:
    """Return every key in the code: texts that begin with the name of a table, and calls of the functions above."""
    names = {key.partition(".")[0] for key in tables("en")} | {"pages"}
    found = []
    for file in sorted(set(PACKAGE.rglob("*.py")) - {PACKAGE / "__init__.py"}):
        nodes = list(ast.walk(ast.parse(file.read_text("utf-8"))))
        calls = [node for node in nodes if isinstance(node, ast.Call)]
        passed = {id(one) for node in calls if ast.unparse(node.func) in _RENAMES for one in node.args}
        passed |= {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
        passed |= {id(node.value) for node in nodes if isinstance(node, ast.Expr)}  # docstrings
        name = file.relative_to(PACKAGE.parent)
        found += [Use(key, f"{name}:{node.lineno}") for node in calls for key in _keys(node, file.name)]
        for node in nodes:
            if not isinstance(node, ast.Constant | ast.JoinedStr) or id(node) in passed:
                continue
            text = _text(node)
            head, dot, tail = text.partition(".")
            is_file = text.endswith((".md", ".toml", ".json"))
            if head in names and dot and not is_file and re.fullmatch(r"[\w{}.-]+", tail):
                found.append(Use(text, f"{name}:{node.lineno}"))
    return tuple(found)


def _keys(node: ast.Call, file: str) -> Iterator[str]:
    name = node.func.id if isinstance(node.func, ast.Name) else ""
    prefix = _WRAPPERS.get(name) or ("cli.lint." if name == "say" and file in _REPORT and len(node.args) == 1 else "")
    if prefix and node.args:
        first = node.args[0]
        for one in (first.body, first.orelse) if isinstance(first, ast.IfExp) else (first,):
            if text := _text(one):
                yield prefix + text


def _text(node: ast.AST) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else _HOLE for part in node.values)
    return ""


def callers() -> dict[str, list[str]]:
    """Return the places that say each sentence, the rules' and the help's left out."""
    found: dict[str, list[str]] = {}
    for use in uses():
        filled = [use.key.replace(_HOLE, word) for word in DYNAMIC.get(use.key, ())]
        plain = [] if _HOLE in use.key or use.key in _SETTINGS else [use.key]
        for key in (*filled, *plain):
            found.setdefault(key, []).append(use.place)
    return found


def undeclared() -> list[Use]:
    """Return the keys put together at run time that `DYNAMIC` does not know."""
    return [use for use in uses() if _HOLE in use.key and use.key not in (*DYNAMIC, *_COMPUTED) and not _own(use.key)]


def _own(key: str) -> bool:
    return key.startswith(("rules.", "help.", "trust.", "argument.", "example."))


def main(words: list[str]) -> None:
    """Print the sentences of a language that hold the words, each with its callers."""
    lang = words.pop(0) if words and (Path(templates_folder()) / words[0]).is_dir() else "en"
    places = callers()
    for key, text in tables(lang).items():
        if all(word in f"{key} {text}" for word in words):
            print(f"{key}\n    {text!r}\n    {', '.join(places.get(key.removesuffix('.hint'), ())) or '-'}")


if __name__ == "__main__":
    main(sys.argv[1:])
