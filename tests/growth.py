"""Work that may grow with the size of what it is given and no faster: one table, for the tests and for the benchmark.

`tests/test_growth.py` counts the steps of each, which are the same on every machine. `tests/bench/bench_growth.py`
measures the time, in which a regular expression that goes back over its text shows too.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from contextlib import suppress
from cProfile import Profile
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from harness import lay
from shapes import SHAPES

from mdmem.agents.hooks.model import read_payload
from mdmem.artifacts.summaries import summarise
from mdmem.config.workspace_config import WorkspaceConfig, template_files
from mdmem.entries.forget.spellings import name_pattern, text_pattern
from mdmem.entries.tombstones import Tombstones
from mdmem.errors import MdmemError
from mdmem.extraction.job import shipped_patterns
from mdmem.extraction.model import ExtractionTask
from mdmem.extraction.rules import extract
from mdmem.facts.edits import FactFile
from mdmem.facts.model import NewFact
from mdmem.formats.fact_words import FactWords
from mdmem.formats.joined_line import Originals
from mdmem.formats.paste import pastes
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn, lost_turns
from mdmem.formats.template import Schemas
from mdmem.formats.template_reader import read_template
from mdmem.formats.tool_turn import read_tool_run
from mdmem.linter.registry import RULES
from mdmem.linter.rule import FileFacts, Subject
from mdmem.linter.runner import lint_subject
from mdmem.messages.folders import templates_folder
from mdmem.search.excerpt import excerpt
from mdmem.search.words.date_phrases import read_days
from mdmem.sessions.known_secrets import KnownSecrets
from mdmem.settings.reader import read_settings
from mdmem.settings.tables import Settings
from mdmem.text.document import parse
from mdmem.text.similarity import near_duplicates
from mdmem.text.tokens import count_tokens
from mdmem.wording.importance import ImportanceScorer
from mdmem.workspace import Workspace

TODAY = dt.date(2026, 2, 20)
Work = Callable[[], object]
TIMES = 4  # how much larger the larger of two sizes is


class Growing(NamedTuple):
    """A piece of work: made for a size in characters, then done once, for what was read may be kept.

    `size` is the smaller one that the tests take.
    """

    make: Callable[[int], Work]
    size: int = 1_000


def steps(work: Work) -> int:
    """Count the functions, of Python and of C, that a piece of work calls."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())


@cache
def shipped() -> Settings:
    return read_settings((Path(templates_folder()) / "mdmem.toml").read_bytes())


@cache
def _schemas() -> Schemas:
    return Schemas([read_template(one.read(), one.path, one.lang) for one in template_files(templates_folder())], "zh")


def _lint(text: str, *paths: str) -> Work:
    """Do all there is to do with a file: read its parts, judge it under these names."""
    limits: dict[str, Any] = dict.fromkeys(("max_line_chars", "max_lines", "max_front_matter_chars"), 10**9)
    numbers, data = shipped().lint._replace(**limits), text.encode()

    def work() -> None:
        document = parse(data)
        for entry in document.entries:
            assert entry.parts.body.end <= len(entry.text)
        assert document.sections or not document.preamble.start > len(document.text)
        assert len(document.auto_marks) <= len(document.comments)
        if document.front_matter:
            assert document.front_matter.root is None or document.front_matter.values
        for path in paths:
            template, facts = _schemas().match(path, document), FileFacts(size=len(data))
            subject = Subject(path, document, template, numbers, TODAY, facts=facts, schemas=_schemas())
            lint_subject(subject, RULES, "en")

    return work


def _file(shape: Callable[[int], str], *paths: str) -> Callable[[int], Work]:
    return lambda size: _lint(shape(size), *paths)


def _text(piece: str, work: Callable[[str], object]) -> Callable[[int], Work]:
    """Make work on a piece said again and again."""

    def make(size: int) -> Work:
        text = piece * (size // len(piece))
        return lambda: work(text)

    return make


def _days(text: str) -> None:
    assert len(read_days(text, TODAY, 14)) == 1


def _cut(size: int) -> Work:
    text = "fox. " * size + "a" * size + "，" * size
    return lambda: excerpt(text, {"fox": 1.0}, who="", most=50, counter=count_tokens)


def _summary(output: str) -> None:
    numbers = shipped().artifacts
    said = summarise(output, tool="t", exit_code=1, path="artifacts/t0001.md", lang="en", lines=6, numbers=numbers)
    assert said[-1].endswith("tool:t0001")


def _stones(size: int) -> Work:
    lines = Tombstones(None).lines(["Lena Brandt", "a b c", "one two three four", "x y z w v"], "2026-01-02")
    known = Tombstones(parse(("# Forgotten\n\n" + "\n".join(lines) + "\n").encode()))
    long = "the quick brown fox jumps over a lazy dog " * (size // 42)

    def work() -> None:
        assert not known.holds(long)
        assert known.holds(f"{long}\nLena Brandt\n")

    return work


def _repeated(text: str) -> None:
    known = KnownSecrets(".")
    for value in ("Zebra2213", "a1!a1!a1b", "long-value-of-30-characters-12"):
        known.add(value, [("password", 0, len(value))])
    assert not list(known.find(text))


VERBS: dict[str, Callable[[Workspace], object]] = {
    "lint": lambda work: work.lint(),
    "add": lambda work: work.add("MEMORY.md", ["a new thing"], section="Notes"),
    "search": lambda work: work.search("a new thing x"),
    "pack": lambda work: work.pack(),
}


def _extracted(text: str) -> object:
    """Extract from a turn of the user by rule."""
    own, turn = shipped(), Turn(1, "user", "user", "", text, 0, 0, 0)
    weigher, splitter = ImportanceScorer(own.keeper, TODAY), Splitter(own.sentences)
    words = shipped_patterns(WorkspaceConfig("."))
    return extract(
        ExtractionTask("s.md", (turn,), own.extract, weigher, splitter, rows=words.patterns, lists=words.lists)
    )


def _answered(verb: Callable[[Workspace], object]) -> Callable[[Workspace], object]:
    """Take a refusal for an answer."""

    def answered(memory: Workspace) -> None:
        with suppress(MdmemError):
            verb(memory)

    return answered


def _verb(path: str, text: Callable[[int], str], verb: Callable[[Workspace], object]) -> Callable[[int], Work]:
    """Make the work of a verb in a folder with one file."""

    def make(size: int) -> Work:
        def work() -> None:
            with TemporaryDirectory() as root:
                lay(Path(root), {path: text(size)}, lang="en", settings="")
                memory = Workspace(root, cache=False)
                memory.config.day = TODAY.isoformat()
                verb(memory)

        return work

    return make


_SESSION = "---\nagent: a\ntask: t\nstarted: 2026-02-13 21:30\nended:\n---\n# S\n\n## Request\n\nx\n\n"
TOLD_IN = "sessions/20260213_213000_t.md"
TOLD = {
    "short rounds": "\n### 1 user 10:00\n\nA.\n\n### 1 assistant 10:00\n\nWe chose b/c.md.\n",
    "failed runs": '\n### 1 tool 10:00\n\nrun `{"path": "a"}` (exit 1)\nerror: x\n',
    "one sentence": "\nwe chose because fixed ",
    "names": "\nWe chose Ann-1 and a/b.py. ",
    "colons": "\n: ：→ ✗ [rounds:: 1] ",
}


def _session(piece: str) -> Callable[[int], str]:
    """Make a session whose turns are a piece said again and again."""

    def text(size: int) -> str:
        said = piece * (size // len(piece))
        return f"{_SESSION}## Turns\n" + (said if "###" in piece else f"\n### 1 user 10:00\n{said}\n")

    return text


def _episode(memory: Workspace) -> None:
    memory.episodes.write(Path(TOLD_IN).stem)


FACTS = {
    "facts": lambda n: "".join(f"- 2026-01-02: value {i} [predicate:: p{i}]\n" for i in range(n // 45)),
    "one predicate": lambda n: "- 2026-01-02: value [predicate:: port]\n" * (n // 40),
    "near predicates": lambda n: "".join(f"- 2026-01-02: port {i} [predicate:: port {i}]\n" for i in range(n // 45)),
    "a long predicate": lambda n: f"- 2026-01-02: value [predicate:: {'p_版' * (n // 3)}]\n",
    "a long line": lambda n: f"- 2026-01-02: {'no longer now ' * (n // 14)} [predicate:: port]\n",
    "a chain": lambda n: "\n## Before\n\n" + "".join(
        f"- 2026-01-02: value {i} [predicate:: port] [superseded_by:: v{i + 1}] ^v{i}\n" for i in range(n // 70)),
}  # fmt: skip


def _facts(shape: Callable[[int], str]) -> Callable[[int], str]:
    return lambda size: f"# x\n\n## Now\n\n{shape(size)}"


def _state(memory: Workspace) -> None:
    """State something about a file of facts, and lint it whether that was refused or not."""
    with suppress(MdmemError):
        memory.fact_set("x", "port", "the port moved to 8080")
    memory.lint()


STATEMENTS: dict[str, Callable[[int], tuple[str, str]]] = {
    "facts": lambda i: (f"p {i}", f"the gauge of mill {i} is read"),
    "values of one predicate": lambda i: ("port", f"the port is {i}"),
    "of many values": lambda i: ("likes", f"likes the gauge of mill {i}"),
    "repeats": lambda i: (f"p {i % 7}", f"value {i % 7}"),
    "near predicates": lambda i: (f"port {i}", f"port {i}"),
    "retractions": lambda i: ("likes", f"no longer likes mill {i // 2}" if i % 2 else f"likes mill {i // 2}"),
}


def _stated(shape: Callable[[int], tuple[str, str]]) -> Callable[[int], Work]:
    """Make the work of many statements about one subject, written to one file."""

    def make(size: int) -> Work:
        template = _schemas().get("facts")
        assert template is not None

        def work() -> None:
            file = FactFile("facts/x.md", "x", None, template, FactWords(template, 0.85), "en")
            for at in range(size // 40):
                predicate, text = shape(at)
                item = NewFact("x", predicate, text, date="2026-01-02")
                file.apply(item, text, file.decide(item, "2026-02-20", lambda _: ""))
            assert file.edits()

        return work

    return make


NIGHTS = {
    "copies": lambda n: "- 2026-01-02: the gauge at the mill is read at six [source:: file:a]\n" * (n // 70),
    "near copies": lambda n: "".join(
        f"- 2026-01-02: gauge {i // 2} at the {'old ' * (i % 2)}mill stands by the river [source:: file:a] ^i{i}\n"
        for i in range(n // 85)),
    "shared words": lambda n: "".join(
        f"- 2026-01-02: the gauge at the mill of {chr(97 + i % 26) * (1 + i // 26)} is read [source:: file:a]\n"
        for i in range(n // 80)),
    "one word": lambda n: f"- 2026-01-02: {'我的' * (n // 2)} [source:: file:a]\n" * 2,
    "a chain": lambda n: "- 2026-01-02: a [priority:: short_term] [decay_rate:: 1] [source:: a] ^v0\n\n## Before\n\n"
    + "".join(f"- 2026-01-02: b {i} [source:: file:a] [superseded_by:: v{i}] ^v{i + 1}\n" for i in range(n // 75)),
    "a ring": lambda n: "".join(
        f"- 2026-01-02: b {i} [priority:: short_term] [decay_rate:: 1] [source:: a] [superseded_by:: v{i // 2}] ^v{i}\n"
        for i in range(n // 110)),
}  # fmt: skip


def _night(memory: Workspace) -> None:
    memory.night(now=True)


FILES = {
    "brackets": lambda n: "[我]\n" * (n // 4),
    "open brackets": lambda n: "[" * n,
    "aliases": lambda n: "## 我\n" * (n // 5),
    "marks": lambda n: "- [ ] a ← 当前\n" * (n // 13),
    "labels": lambda n: "指令指针: " * (n // 6),
    "durations": lambda n: "- a [ttl:: " + "7d or " * (n // 6) + "]\n",
    "captions": lambda n: "# " + "_ " * (n // 4) + "\n\n" + ("_" + " _" * (n // 4) + "x\n\n"),
}
DAYS = ("2026-02-13 ", "2月13日 ", "last week ", "三天前", "2026 ", "yesterday ", "May 5 ")
PASTES = ("a\n", " ", "= ", "```\n", "| a", "{" * 50 + "\n", "x" * 90 + " ", "\t", "a,", "- \n", '("' * 9)
SAID = (
    "我", "我的", "我喜欢", "我的我的是", "从从从", "我从a换成", "我住在，", "今天", "已经", "我今天刚", "my ",
    "i like ", "i have ", "and ", "my dog's ", "our ", "now ", "just ", "the a of ", "i moved from ", "a: b\n",
    "对了，", "so, ", "的", "不要", "never ", "我和妈妈的", "(", "什么？", "3.1.", "我的" + "生日是" * 30 + "。",
    "my dog's name is a" * 6 + ". I ", '"a ', "'a ", "‘a ", "“a”", "“", "he says: ", "write mail ", "in my ", "> a\n",
)  # fmt: skip
SENTENCES = ("a. ", "Mr. X ", "(“", '"a. ', "1.2.", "“a。", "`", "( ", '« " “', "...", "A.B. ")
OUTPUTS = (
    "a" * 1000 + "\n", "(" * 999 + "\n", " " * 999 + "x\n", "A  " * 300 + "!\n", "ok " + "." * 990 + "\n",
    "    at " + "a " * 490 + "\n", "x:1:" * 200 + "\n", "error" * 200 + "\n", "\x1b[" + "1;" * 400,
    "\x1b]0;" + "x" * 900, "thread '" + "'" * 900 + "\n", "[ERROR] " + "a." * 450 + "\n", "1 passed, " * 90 + "\n",
    "a.A" * 300 + "\n", "\r", "\n", '{"a": [', '"', "| a ", "-", "0 no without ",
    "diff --git a/" + " b/" * 300 + "\n", "@@ -9 +9 @@\n", "\u202e", "记",
    "Traceback (most recent call last):\n" + "E" * 900 + "\n", "x:" + "：" * 400 + "\n",
    "not ok 1 - " + "x" * 900 + "\n",
)  # fmt: skip

SOUGHT = re.compile("|".join(make("Ann ffi-\u00e9") for make in (text_pattern, name_pattern)))
SEARCHED = (
    "\u24d0\u24dd\u24dd", "Ann ", "Ann_", "ann\u200b", "Ann \ufb00", "Ann ffi-e\u0323", "\u24d0\u24dd\u24dd\u24d5",
)  # fmt: skip

ALIKE: dict[str, Callable[[Random], str]] = {
    "subsets": lambda dice: " ".join(dice.sample([f"common{chr(97 + n)}" for n in range(17)], 14)),
    "tails": lambda dice: " ".join([*"abcdefghijklmnopq", "".join(dice.choices("abcdefgh", k=8))]),
    "Chinese": lambda dice: "".join(chr(0x4E00 + dice.randrange(400)) for _ in range(40)),
}


def _alike(text: Callable[[Random], str]) -> Callable[[int], Work]:
    """Make the search for near duplicates among many texts that share their words."""

    def make(size: int) -> Work:
        dice = Random(3)
        texts = [text(dice) for _ in range(size)]
        return lambda: list(near_duplicates(texts, 0.85))

    return make


TOOL_TURNS = ("`", "``` ` ", "` (", "` (ok)", "` (exit 1) ", "a b", "\n", "(exit ")

CASES: dict[str, Growing] = {
    "a prompt of tags that nobody closes": Growing(
        _text("<system-reminder>", lambda text: read_payload("UserPromptSubmit", {"prompt": text}, "claude"))
    ),
    "a prompt of blocks that an agent adds": Growing(
        _text("a <hook_context>b</hook_context> ", lambda text: read_payload("prompt", {"prompt": text}, "claude"))
    ),
    **{f"file: {name}": Growing(_file(shape, "FASTMEMO.md", "notes.md")) for name, shape in SHAPES.items()},
    **{f"plan: {name}": Growing(_file(shape, "FASTMEMO.md", "task_process.md")) for name, shape in FILES.items()},
    **{f"days: {one}": Growing(_text(one, _days), 5_000) for one in DAYS},
    **{f"paste: {one!r}": Growing(_text(one, lambda text: pastes(text, 24, 3000)), 10_000) for one in PASTES},
    **{f"sentences: {one}": Growing(_text(one, lambda text: Splitter(shipped().sentences).split(text)))
       for one in SENTENCES},
    **{f"said: {one!r}": Growing(_text(one, _extracted), 4_000) for one in SAID},
    **{f"output {number}": Growing(_text(one, _summary), 100_000) for number, one in enumerate(OUTPUTS)},
    **{f"episode: {name}": Growing(_verb(TOLD_IN, _session(piece), _episode), 8_000)
       for name, piece in TOLD.items()},
    **{f"fact: {name}": Growing(_verb("facts/x.md", _facts(shape), _state), 4_000) for name, shape in FACTS.items()},
    **{f"statements: {name}": Growing(_stated(shape), 4_000) for name, shape in STATEMENTS.items()},
    **{f"night: {name}": Growing(_verb("facts/x.md", _facts(shape), _night), 4_000)
       for name, shape in NIGHTS.items()},
    **{f"tool turn: {one!r}": Growing(_text(one, lambda text: read_tool_run(f"a `{text}")), 100_000)
       for one in TOOL_TURNS},
    **{f"near duplicates: {name}": Growing(_alike(text), 500) for name, text in ALIKE.items()},
    "lost turns": Growing(_text("\n### 1 user 10:00\n\nx\n", lambda text: lost_turns(text, text[: len(text) // 2]))),
    "excerpt": Growing(_cut, 2_000),
    "joined line": Growing(_text("a; b", lambda text: Originals(["a"]).units(text))),
    "forgotten": Growing(_stones, 8_000),
    **{f"forgetting: {one!a}": Growing(_text(one + 50 * one[-1], SOUGHT.findall), 400_000) for one in SEARCHED},
    **{f"repeated secrets: {one!r}": Growing(_text(one, _repeated), 4_000) for one in ("a1!", "a1! b2? ", "0")},
    **{f"{verb}: {name}": Growing(_verb("MEMORY.md", shape, _answered(work)))
       for verb, work in VERBS.items() for name, shape in SHAPES.items()},
}  # fmt: skip
