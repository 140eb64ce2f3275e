"""The lines of an episode: what is written reads back, ranges never overlap, and condensing writes one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import Make
from harness import killed, needs_fork
from hypothesis import given
from hypothesis import strategies as st

from mdmem.episodes import service
from mdmem.episodes.service import write_episode
from mdmem.episodes.stretches import (
    EpisodeAction,
    EpisodeStretch,
    EpisodeWords,
    episode_edits,
    find_actions,
    read_stretches,
    uncovered,
)
from mdmem.episodes.writer import EpisodeWriter
from mdmem.errors import ConflictError
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn, read_session
from mdmem.formats.template import Schemas
from mdmem.formats.tool_turn import ToolRun, tool_run_text
from mdmem.settings.tables import Settings
from mdmem.text.document import parse
from mdmem.text.edit import apply_edits
from mdmem.workspace import Workspace

from .test_episodes import HEAD, PATH, session

WORDS = st.text("ab: ：→✗[]`*#<-|测试.", max_size=12).map(lambda text: " ".join(text.split()))


@given(WORDS, WORDS, WORDS, st.sampled_from(["zh", "en"]), st.sampled_from([True, False]))
def test_any_run_reads_back(schemas: Schemas, settings: Settings, tool: str, given: str, result: str, lang: str,
                            ok: bool) -> None:  # fmt: skip
    """Whatever a tool was given and said, its line is an entry of the episode, and no other line is touched."""
    template = schemas.get("session", lang)
    assert template
    said = tool_run_text(ToolRun(f"t{tool}", given, ok, None, result, ""))
    turns = [Turn(1, "tool", "tool", "10:00", said, 0, 0, 0)]
    runs = find_actions(turns, EpisodeWords(template), Splitter(settings.sentences))
    text = HEAD.format(task="x", ended="", outcome="ongoing")
    document = parse(text.encode())
    made = EpisodeStretch(1, 1, "says something", "ongoing", "night", (), runs)
    written = apply_edits(text, episode_edits(document, template, [made], lang))
    (one,) = read_stretches(parse(written.encode()), template)
    assert (one.first, one.last, one.summary, one.by) == (1, 1, "says something", "night")
    assert len(one.actions) == len(runs)
    for read, run in zip(one.actions, runs, strict=True):
        assert read.time == "10:00"
        assert (read.ok is False) == (run.ok is False)
    assert written.startswith(text[: text.index("## 对话")])
    assert read_session(parse(written.encode()), PATH, template).turns == ()


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_plain_run_reads_back_exactly(schemas: Schemas, lang: str) -> None:
    template = schemas.get("session", lang)
    assert template
    runs = (
        EpisodeAction("10:00", "mcp:read", "docs/a.md:3", True, "9 lines: none empty", "", "t0001"),
        EpisodeAction("10:01", "run_tests", "", False, "2 failed", "we chose to skip them", ""),
        EpisodeAction("", "ls", "", None, "", "", ""),
    )
    text = HEAD.format(task="x", ended="", outcome="ongoing")
    made = EpisodeStretch(3, 7, "a: b", "partial", "session_end", ("facts/my cat.md#f1a2", "facts/b.md#f3"), runs)
    written = apply_edits(text, episode_edits(parse(text.encode()), template, [made], lang))
    (one,) = read_stretches(parse(written.encode()), template)
    assert one._replace(line=0, text="") == made


@given(st.sets(st.integers(1, 30)), st.lists(st.tuples(st.integers(1, 30), st.integers(0, 5)), max_size=4))
def test_ranges_cover_what_is_left_and_nothing_twice(numbers: set[int], taken: list[tuple[int, int]]) -> None:
    told = [EpisodeStretch(first, first + more, "", "", "") for first, more in taken]
    found = uncovered(numbers, told)
    covered = {number for one in told for number in range(one.first, one.last + 1)}
    inside = [number for first, last in found for number in range(first, last + 1) if number in numbers]
    assert sorted(inside) == sorted(numbers - covered)
    assert not any(first <= one.last and one.first <= last for first, last in found for one in told)


def test_condensing_tells_the_rounds_that_it_condenses(make: Make) -> None:
    """K054: without a further call; the end tells the rest, and the ranges do not overlap."""
    said = [(number, f"第 {number} 个模块是 src/m{number}.py，" + "说明很长。" * 60) for number in range(1, 9)]
    turns = "".join(
        f"\n### {number} 用户 10:0{number}\n\n{text}\n\n### {number} 工具 10:0{number}\n\n"
        f'write_file `{{"path": "src/m{number}.py"}}` (ok)\n已写入\n\n'
        f"### {number} 助手 10:0{number}\n\n改好了 src/m{number}.py，{number} 项测试通过。\n"
        for number, text in said
    )
    calls = []
    summary = "；".join(f"改好了 src/m{number}.py，{number} 项测试通过" for number in range(1, 6))

    def backend(prompt: str) -> str:
        calls.append(prompt)
        return json.dumps([{"path": PATH, "section": "动态context池", "content": f"- {summary}"}])

    work = make(files=session(ended="", outcome="ongoing", turns=turns))
    *_, done = work.compact("session", now=True, backend=backend)
    assert done.status == "done"
    asked = [prompt for prompt in calls if "动态context池" in prompt]
    assert len(asked) == 1, "no further call for the episode"
    (one,) = work.episodes()
    assert (one.first, one.last, one.source) == (1, 5, "context_compress")
    assert one.summary == summary
    assert [run.input for run in one.actions] == [f"src/m{number}.py" for number in range(1, 6)]
    work.sessions.resume("20260213").end("好了")
    write_episode(work.config, PATH)
    first, rest = work.episodes()
    assert first.summary == one.summary
    assert (rest.first, rest.last, rest.source) == (6, 8, "session_end")
    assert not [found for found in work.lint().diagnostics if found.code.startswith(("MM3", "MM6"))]


def test_two_writers_tell_a_round_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    work = make(files=session())
    waiting: list[EpisodeWriter] = []

    class Late(EpisodeWriter):
        """Writes after another process has written."""

        def write(self, *, dry_run: bool) -> object:  # type: ignore[override]
            if not waiting:
                waiting.append(self)
                monkeypatch.setattr(service, "EpisodeWriter", EpisodeWriter)
                write_episode(work.config, PATH)
                with pytest.raises(ConflictError):
                    super().write(dry_run=dry_run)
            return super().write(dry_run=dry_run)

    monkeypatch.setattr(service, "EpisodeWriter", Late)
    assert write_episode(work.config, PATH).status == "unchanged"
    assert len(work.episodes()) == 1


@pytest.mark.slow
@pytest.mark.thorough
@needs_fork
def test_killed_anywhere_session_and_facts_are_all_old_or_all_new(make: Make) -> None:
    work = make(files=session())
    work.facts.set("水位图", "做法", "水位图用标准库写 SVG", source="chat:20260213_213000_水位图#1")
    fact, story = Path(work.root, "facts/水位图.md"), Path(work.root, PATH)
    old = fact.read_bytes(), story.read_bytes()
    write_episode(work.config, PATH)
    new = fact.read_bytes(), story.read_bytes()
    seen = set()

    def prepare() -> Workspace:
        for file, data in zip((fact, story), old, strict=True):
            file.write_bytes(data)
        return work

    for fresh in killed(5, prepare, lambda memory: write_episode(memory.config, PATH)):
        seen.add((fact.read_bytes(), story.read_bytes()))
        write_episode(fresh.config, PATH)
        assert (fact.read_bytes(), story.read_bytes()) == new
    assert seen == {old, new}
