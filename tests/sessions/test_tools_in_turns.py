"""Turns with the tools that were called: recorded in one append, read back as runs (K009, K073, K141)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Make

from mdmem.errors import UsageError
from mdmem.formats.session_edits import tools_of
from mdmem.formats.tool_turn import ToolRun, read_tool_run
from mdmem.store.pen import Appended, Pen
from mdmem.workspace import Workspace

KEY = (
    "sk-ant-api03-" + "aB3dE5fG7hJ9kL2mN4pQ6rS8tU1vW3xY5zA7bC9dE2fG4hJ6kL8mN1pQ3rS5tU7vW9xY2zA4bC6dE8fG1hJ3kL5-AbCdEfAA"
)


def runs(work: Workspace, name: str) -> list[ToolRun | None]:
    return [read_tool_run(turn.text) for turn in work.sessions.show(name).turns if turn.role == "tool"]


@pytest.fixture
def work(make: Make) -> Workspace:
    return make("en")


def test_each_call_is_a_tool_turn_with_its_result(work: Workspace) -> None:
    """The turn and its runs are in the file in order; a failed run is marked."""
    session = work.sessions.start("write a page")
    session.turn("user", "write it")
    done = session.turn(
        "assistant",
        "I will",
        tool_calls=[
            {"name": "write_file", "input": {"path": "docs/a.md", "text": "`x`\n## 二"}, "id": "t1"},
            {"name": "shell", "arguments": '{"command": "ls"}', "id": "t2"},
            {"type": "function", "id": "t3", "function": {"name": "note", "arguments": "half {json"}},
            {"name": "bare"},
        ],
        tool_results=[
            {"tool_use_id": "t2", "content": "no such\nfolder", "is_error": True},
            {"tool_use_id": "t1", "content": [{"type": "text", "text": "ok"}], "is_error": False},
        ],
    )
    assert (done.status, done.number, done.role, done.hint) == ("done", 1, "assistant", "")
    assert "4 tool runs" in done.message
    found = work.sessions.show(session.id)
    assert [(turn.number, turn.role) for turn in found.turns] == [(1, "user"), (1, "assistant"), *[(1, "tool")] * 4]
    written = json.dumps({"path": "docs/a.md", "text": "`x`\n## 二"}, ensure_ascii=False)
    assert runs(work, session.id) == [
        ToolRun("write_file", written, True, None, "ok", ""),
        ToolRun("shell", '{"command": "ls"}', False, None, "no such\nfolder", ""),
        ToolRun("note", "half {json", None, None, "", ""),
        ToolRun("bare", "{}", None, None, "", ""),
    ]
    assert [one for one in work.lint().diagnostics if one.severity != "note"] == []


def test_turns_of_one_line_are_one_append(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    session = work.sessions.start("x")
    appends: list[object] = []
    append = Pen.append

    def counted(*given: Any, **named: Any) -> Appended:
        appends.append(given)
        return append(*given, **named)

    monkeypatch.setattr(Pen, "append", counted)
    calls = [{"name": f"tool_{n}", "input": {}, "id": str(n)} for n in range(20)]
    session.turn("assistant", "now", tool_calls=calls, tool_results=[{"tool_use_id": "7", "content": "yes"}])
    assert len(appends) == 1
    assert len(work.sessions.show(session.id).turns) == 21


def test_a_long_result_is_an_artifact(work: Workspace) -> None:
    """Four lines are stored whole; three stay in the turn."""
    session = work.sessions.start("x")
    long, short = "\n".join(f"row {n} of the report" for n in range(4)), "a\nb\nc"
    done = session.turn(
        "assistant", "", tool_calls=[{"name": "read", "input": {"n": n}, "id": str(n)} for n in range(3)],
        tool_results=[{"tool_use_id": str(n), "content": text} for n, text in enumerate((long, short, "z" * 9000))],
    )  # fmt: skip
    first, second, third = runs(work, session.id)
    assert first is not None
    assert second is not None
    assert third is not None
    assert second.result == short
    stored = {one.id: one for one in work.artifacts.list()}
    assert {first.artifact, third.artifact} == stored.keys()
    assert work.artifacts.get(first.artifact).raw.decode() == long
    assert stored[first.artifact].tool == "read"
    assert f"tool:{first.artifact}" in done.hint
    assert len(third.result) < 1000


def test_a_long_text_in_an_input_is_an_artifact(work: Workspace) -> None:
    session = work.sessions.start("x")
    page = "一句话。" * 2000
    session.turn("assistant", "", tool_calls=[{"name": "write_file", "input": {"path": "a.md", "text": page}}])
    (run,) = runs(work, session.id)
    assert run is not None
    (stored,) = work.artifacts.list()
    assert json.loads(run.input) == {"path": "a.md", "text": f"tool:{stored.id}"}
    assert work.artifacts.get(stored.id).raw.decode() == page


@pytest.mark.parametrize("key", ["tool_use_id", "tool_call_id", "id"])
def test_a_result_belongs_to_its_call_by_any_name_of_the_id(work: Workspace, key: str) -> None:
    session = work.sessions.start("backup")
    calls = [{"id": "a", "name": "shell", "input": "pg_dump --version"}]
    done = session.turn("assistant", "look", tool_calls=calls, tool_results=[{key: "a", "content": "15.4"}])
    assert done.hint == ""
    turns = [turn.text for turn in work.sessions.show(session.id).turns if turn.role == "tool"]
    assert turns == ["shell `pg_dump --version` (ok)\n15.4"]


def test_a_result_that_comes_later(work: Workspace) -> None:
    """It names its tool, begins no round, and is not counted as another run."""
    session = work.sessions.start("x")
    session.turn("user", "go")
    session.turn("assistant", "", tool_calls=[{"name": "shell", "input": "pytest -q", "id": "t1"}])
    session.record({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "3 passed"}]})
    session.record({"role": "tool", "tool_call_id": "t9", "content": "unknown"})
    found = work.sessions.show(session.id)
    assert [turn.number for turn in found.turns] == [1] * 5
    assert [turn.text for turn in found.turns][2:] == [
        "shell `pytest -q`",
        "shell (ok)\n3 passed",
        "tool (ok)\nunknown",
    ]
    assert tools_of(found.turns) == {"shell": 1, "tool": 1}


def test_secrets_are_masked_in_calls_and_results(work: Workspace, traces: Callable[[str], list[str]]) -> None:
    session = work.sessions.start("x")
    done = session.turn(
        "assistant", "", tool_calls=[{"name": "curl", "input": {"key": KEY}, "id": "1"}, {"name": "cat", "id": "2"}],
        tool_results=[{"tool_use_id": "1", "content": KEY}, {"tool_use_id": "2", "content": f"{KEY}\n" * 9}],
    )  # fmt: skip
    assert "masked" in done.hint
    assert traces(KEY) == []
    assert '"[Anthropic key]"' in (Path(work.root) / session.path).read_text()


@pytest.mark.parametrize(
    "wrong",
    [
        {"tool_calls": "half json"},
        {"tool_calls": 5},
        {"tool_calls": ["x"]},
        {"tool_calls": [{"input": {}}]},
        {"tool_calls": [{"name": " "}]},
        {"tool_results": {"a": 1}},
        {"tool_results": "[" * 100_000},
    ],
)
def test_what_cannot_be_read_costs_no_text_and_is_refused_without_one(
    work: Workspace, wrong: dict[str, object]
) -> None:
    session = work.sessions.start("x")
    with pytest.raises(UsageError, match="must be"):
        session.record({"role": "assistant", "content": "", **wrong})
    assert work.sessions.show(session.id).turns == ()
    done = session.record({"role": "assistant", "content": "hello", **wrong})
    assert f"`{next(iter(wrong))}`" in done.hint
    assert [turn.text for turn in work.sessions.show(session.id).turns] == ["hello"]


def test_unknown_keys_and_blocks_are_reported(work: Workspace) -> None:
    session = work.sessions.start("x")
    done = session.record({
        "role": "assistant", "mood": "fine",
        "content": [{"type": "text", "text": "here"}, {"type": "image", "source": {"data": "AAAA"}}],
        "tool_calls": [{"name": "a", "color": "red"}],
    })  # fmt: skip
    assert done.status == "done"
    for key in ("`mood`", "`content.image`", "`tool_calls.color`"):
        assert key in done.hint
    assert work.sessions.show(session.id).turns[0].text == "here\n[image]"
    assert "`why`" in session.record({"end": "over", "why": "x"}).hint
