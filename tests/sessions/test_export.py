"""Turns come back as the lines that were recorded, whatever text they hold (K076, K171, K179)."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from conftest import Make
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mdmem.linter.views.hidden_characters import without_controls
from mdmem.workspace import Workspace

Line = dict[str, Any]

LOG = "\n".join(f"2026-02-20 08:{n:02}:11,204 ERROR importer: row {n} has no level" for n in range(40))


def back(work: Workspace, name: str) -> list[Line]:
    lines = json.loads(json.dumps([asdict(one) for one in work.sessions.export(name)]))
    assert {one.pop("session") for one in lines} <= {name}
    assert all(isinstance(one.pop("token_estimate"), int) for one in lines)
    return list(lines)


def without_ids(lines: list[Line]) -> list[Line]:
    """Number the calls of each line, for ids are made anew."""
    for line in lines:
        names = {call["id"]: str(number) for number, call in enumerate(line["tool_calls"])}
        line["tool_calls"] = [call | {"id": names[call["id"]]} for call in line["tool_calls"]]
        line["tool_results"] = sorted(
            (one | {"tool_use_id": names[one["tool_use_id"]]} for one in line["tool_results"]),
            key=lambda one: str(one["tool_use_id"]),
        )
    return lines


def line(role: str, content: str, calls: list[Line] | None = None, results: list[Line] | None = None) -> Line:
    return {
        "role": role, "content": content, "tool_calls": calls or [], "tool_results": results or [],
        "timestamp": "2026-02-20T10:00:07",
    }  # fmt: skip


def test_each_line_tells_its_tokens_and_is_taken_back_without_a_word(make: Make) -> None:
    work = make("en")
    session = work.sessions.start("count")
    call, result = {"name": "read", "input": {"path": "a.txt"}, "id": "a"}, {"tool_use_id": "a", "content": "x " * 300}
    session.record(line("user", "hello there, how are you?"))
    session.record(line("assistant", "", [call], [result]))
    short, long = (asdict(one) for one in work.sessions.export(session.id))
    assert 3 <= short["token_estimate"] <= 12
    assert long["token_estimate"] >= 300
    again = work.sessions.start("again")
    told = [again.record({key: value for key, value in one.items() if key != "session"}).hint for one in (short, long)]
    assert not any("token_estimate" in hint for hint in told)


def test_the_same_lines_come_back(make: Make) -> None:
    """Calls with and without results, long results and inputs, pastes, errors and exit codes."""
    work = make("zh")
    lines = [
        line("user", f"帮我看看这个日志：\n\n{LOG}\n\n谢谢"),
        line("assistant", "", [{"name": "read", "input": {"path": "日志.txt"}, "id": "a"}],
             [{"tool_use_id": "a", "content": LOG, "is_error": False}]),
        line("assistant", "两件事", [
            {"name": "write_file", "input": {"path": "a.md", "text": "长" * 5000, "n": [1, None, True]}, "id": "b"},
            {"name": "shell", "input": "pytest -q `x` | tail", "id": "c"},
            {"name": "noop", "input": {}, "id": "d"},
        ], [
            {"tool_use_id": "b", "content": "ok", "is_error": False},
            {"tool_use_id": "c", "content": "no\n\n## 1 failed", "is_error": True, "exit_code": 2},
        ]),
        line("assistant", "好了"),
        line("system", "提醒：# 一"),
        line("tool", "3 passed"),
        line("user", "### 9 用户 10:00\n\n```"),
    ]  # fmt: skip
    session = work.sessions.start("看日志")
    for one in lines:
        assert session.record(one).status == "done"
    found = without_ids(back(work, session.id))
    assert found == without_ids(lines)
    again = work.sessions.start("再记一次")
    for one in found:
        again.record(one)
    assert without_ids(back(work, again.id)) == found


_TEXT = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from('`#\n\r{}"\\ -=<>:')), max_size=60)
_TEXT = _TEXT.map(without_controls)  # of a turn they are taken out
_RESULT = st.fixed_dictionaries({"content": _TEXT, "is_error": st.booleans()})
_VALUE = st.one_of(_TEXT, st.integers(), st.none(), st.lists(_TEXT, max_size=2))
_CALL = st.fixed_dictionaries({
    "name": st.from_regex(r"[A-Za-z_][A-Za-z0-9_.-]{0,12}", fullmatch=True),
    "input": st.dictionaries(_TEXT, _VALUE, max_size=3),
})  # fmt: skip
_LINE = st.tuples(
    st.sampled_from(("user", "assistant", "system")), _TEXT, st.lists(st.tuples(_CALL, st.none() | _RESULT), max_size=3)
)


@pytest.mark.slow
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(_LINE, max_size=5))
def test_any_text_comes_back(make: Make, said: list[tuple[str, str, list[tuple[Line, Line | None]]]]) -> None:
    work = make("en")
    lines = []
    for role, content, tools in said:
        pairs = list(enumerate(tools)) if role == "assistant" else []
        calls = [call | {"id": str(number)} for number, (call, _) in pairs]
        results = [result | {"tool_use_id": str(number)} for number, (_, result) in pairs if result]
        lines.append(line(role, content, calls, results))
    session = work.sessions.start("x")
    for one in lines:
        session.record(one)
    assert without_ids(back(work, session.id)) == without_ids(lines)


def test_results_in_a_later_line_come_back_with_their_call(make: Make) -> None:
    work = make("en")
    session = work.sessions.start("x")
    session.record(line("assistant", "now", [{"name": "shell", "input": {"command": "ls"}, "id": "t1"}]))
    session.record({"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "a"}]})
    (found,) = back(work, session.id)
    assert found["content"] == "now"
    assert found["tool_results"] == [{"tool_use_id": found["tool_calls"][0]["id"], "content": "a", "is_error": False}]


def test_all_sessions_since_a_day(make: Make) -> None:
    head = "---\nagent: a\ntask: t\nstarted: {}\n---\n# Session\n\n## Turns\n\n### 1 user 10:00\n\n{}\n"
    work = make("en", {
        "sessions/20260213_213000_a.md": head.format("2026-02-13 21:30", "one"),
        "sessions/20260217_194500_b.md": head.format("2026-02-17 19:45", "two"),
        "archive/sessions/20260214_000000_c.md": head.format("2026-02-14 00:00", "between"),
    })  # fmt: skip
    assert [(one.content, one.timestamp) for one in work.sessions.export(since="2026-02-14")] == [
        ("between", "2026-02-14T10:00:00"),
        ("two", "2026-02-17T10:00:00"),
    ]
    assert [one.content for one in work.sessions.export()] == ["one", "between", "two"]
    assert not list(Path(work.root).glob(".mdmem/history/log"))
