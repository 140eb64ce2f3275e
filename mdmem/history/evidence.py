"""Looks up evidence: a turn of a session, a tool run, a line of a file (G020, G066). Writes nothing."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.read import current_path, read_file
from mdmem.errors import MdmemError, UnreadableFileError
from mdmem.formats.artifact import HEAD, POINTER, artifact_id, artifact_path, is_id, read_artifact
from mdmem.formats.session import read_session
from mdmem.linter.masking import mask
from mdmem.linter.views.decoded_views import INVISIBLE
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.sessions.read import find
from mdmem.store.root import Root
from mdmem.store.root import read as read_version
from mdmem.text.document import parse
from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines

_SOURCE = pattern(r"(chat|tool|file):(\S.*)\Z")
_LINES = pattern(r"(.+?)#L(\d{1,9})(?:-L?(\d{1,9}))?\Z")
_UNSEEN = pattern(f"[{INVISIBLE}]")
_MOST = 20_000  # characters of a text that are searched for its first lines


EvidenceKind: TypeAlias = Literal["", "chat", "tool", "file"]  # empty for an unknown kind


@dataclass(frozen=True, slots=True)
class Evidence:
    """The text that a source refers to, or the reason why there is none."""

    source: str  # as written in the entry
    kind: EvidenceKind
    path: str  # the file, POSIX from the root
    line: int  # 1-based; 0 if the source names no line
    excerpt: tuple[str, ...]  # the text found: a line, a turn, a summary with the first lines; secrets masked
    missing: str  # why nothing was found, in the workspace's language; empty if something was
    facts: tuple[tuple[str, str], ...] = ()  # further facts: tool, input, exit code; agent, time


def find_evidence(config: WorkspaceConfig, source: str, actor: str = "user") -> Evidence:
    """Look up a source.

    Args:
        config: the workspace.
        source: `chat:ID`, `chat:ID#round`, `tool:ID` or `file:PATH#Lx`.
        actor: who asks.
    """
    match = _SOURCE.match(source.strip())
    if not match:
        return _none(config, source, "", "pin.source-shape")
    kind: Any  # one of the three kinds that the pattern matches
    kind, name = match.group(1), match.group(2)
    try:
        found = {"chat": _chat, "tool": _tool, "file": _file}[kind](config, name, actor)
    except UnreadableFileError as error:
        return _none(config, source, kind, "pin.unreadable", path=error.path or name)
    except MdmemError as error:
        return Evidence(source, kind, "", 0, (), in_language(error, config.lang).message)
    return replace(found, source=source)


def find_full_evidence(config: WorkspaceConfig, name: str, actor: str = "user") -> Evidence:
    """Look up a full text by name: a tool run by id or path, else any file of the workspace."""
    run = artifact_file(config, name)
    source = f"{POINTER}{name}" if run or is_id(name.removeprefix(POINTER)) else f"file:{name}"
    return find_evidence(config, source, actor)


def artifact_file(config: WorkspaceConfig, name: str) -> str:
    """Return the path of the tool run that an id or a path names; empty if there is none."""
    ident = artifact_id(name)
    paths = [artifact_path(ident)] if ident else []
    paths += [name] if name.startswith("artifacts/") else [f"artifacts/{name}.md"] if is_id(name) else []
    found = (current_path(config, config.whose.meant(path)) for path in paths)
    return next((path for path in found if os.path.isfile(os.path.join(config.root, path))), "")


def _chat(config: WorkspaceConfig, name: str, actor: str) -> Evidence:
    ident, _, number = name.partition("#")
    template = config.schemas.get("session")
    if "/" in ident or not ident or template is None:
        return _none(config, name, "chat", "pin.no-session", name=ident)
    path = find(config, ident)
    session = read_session(parse(read_file(config, path, actor).text.encode()), path, template)
    facts = (("agent", session.agent), ("task", session.task), ("started", session.started))
    if not number:
        texts = [session.request or session.task, session.response]
        return Evidence(name, "chat", path, 0, _shown(config, texts), "", facts)
    turns = [turn for turn in session.turns if str(turn.number) == number.lstrip("0")]
    if not turns:
        return _none(config, name, "chat", "pin.no-round", path=path, name=number)
    texts = [f"{turn.speaker}: {' '.join(turn.text.split())}" for turn in turns]
    return Evidence(name, "chat", path, turns[0].line + 1, _shown(config, texts), "", (*facts, ("round", number)))


def _tool(config: WorkspaceConfig, name: str, actor: str) -> Evidence:
    path = artifact_file(config, name)
    if not path:
        return _none(config, name, "tool", "pin.no-artifact", name=name.removeprefix(POINTER))
    path = AccessPolicy(config, actor).reach(path)
    with Root(config.root) as root:
        version = read_version(root.place(path), config.settings.lint.max_bytes)
    data = version.data[:HEAD] if version else b""
    run = read_artifact(data, path)
    body = data[run.body :].decode("utf-8", "replace")
    facts = (("tool", run.tool), ("input", run.input), ("started", run.started))
    exit_code = (("exit", str(run.exit_code)),) if run.exit_code is not None else ()
    return Evidence(name, "tool", path, 0, _shown(config, [*run.summary, body]), "", (*facts, *exit_code))


def _file(config: WorkspaceConfig, name: str, actor: str) -> Evidence:
    match = _LINES.match(name)
    path = current_path(config, config.whose.meant(match.group(1) if match else name))
    found = read_file(config, path, actor)
    if match is None:
        return Evidence(name, "file", found.path, 0, _shown(config, [found.text]), "")
    first, last = int(match.group(2)), int(match.group(3) or match.group(2))
    text = Lines(found.text)
    if not 1 <= first <= last <= len(text):
        return _none(config, name, "file", "pin.no-line", path=found.path, line=last, lines=len(text))
    texts = [text.text(line - 1) for line in range(first, last + 1)]
    return Evidence(name, "file", found.path, first, _shown(config, texts), "")


def _none(config: WorkspaceConfig, source: str, kind: EvidenceKind, key: str, **facts: object) -> Evidence:
    path = str(facts.get("path", ""))
    return Evidence(source, kind, path, 0, (), say(config.lang, key, **facts))


def _shown(config: WorkspaceConfig, texts: list[str]) -> tuple[str, ...]:
    """Return the first non-empty lines, shortened, with secrets masked and hidden characters removed."""
    settings = config.settings.pins
    most = settings.evidence_chars
    seen = (_UNSEEN.sub("", mask(text[:_MOST])) for text in texts)
    lines = [line for text in seen for line in text.splitlines() if line.strip()]
    return tuple(line if len(line) <= most else f"{line[: most - 1]}…" for line in lines[: settings.evidence_lines])
