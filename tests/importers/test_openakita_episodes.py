"""The episodes of OpenAkita: each row stands in a session with all that it says, and what points to it names it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from mdmem import Workspace

from .samples import put
from .test_import import adds_up, contents

_TABLES = {
    "memories": "id, content, type, priority, importance_score, created_at, updated_at, subject, predicate, tags,"
    " expires_at, source_episode_id",
    "conversation_turns": "session_id, turn_index, role, content, tool_calls, tool_results, timestamp, extracted,"
    " episode_id",
    "episodes": "id, session_id, summary, goal, outcome, started_at, ended_at, action_nodes, entities, tools_used,"
    " linked_memory_ids, tags, importance_score, access_count, source, workspace_snapshot_id",
    "scratchpad": "user_id, content, active_projects, current_focus, open_questions, next_steps",
    "attachments": "id, session_id, episode_id, filename, local_path, url, direction, description, tags,"
    " linked_memory_ids, created_at",
}
SAID = [
    ("user", "水车不转了"), ("assistant", "看看轴"), ("user", "轴断了"), ("assistant", "换一根"),
    ("user", "换好了"), ("assistant", "再上油"),
]  # fmt: skip
NODES = [
    {
        "tool_name": "measure", "key_params": {"path": "轴"}, "result_summary": "三寸", "success": True,
        "decision": "用枣木", "timestamp": "2026-01-04T09:01:00",
    },
    {
        "tool_name": "saw", "key_params": {"length": 9, "wood": "枣木"}, "result_summary": "", "success": False,
        "error_message": "锯条断了", "timestamp": "2026-01-04T09:02:00",
    },
]  # fmt: skip


def episode(ident: str, **values: Any) -> dict[str, Any]:
    return {
        "id": ident, "session_id": "s1", "summary": "给水车换轴", "goal": "修水车", "outcome": "completed",
        "started_at": "2026-01-04T09:00:00", "ended_at": "2026-01-04T09:30:00", "action_nodes": json.dumps(NODES),
        "entities": '["水车", "河边"]', "tools_used": '["measure", "saw", "oil"]', "linked_memory_ids": "[]",
        "tags": '["木工"]', "importance_score": 0.8, "access_count": 3, "source": "session_end",
        "workspace_snapshot_id": "snap-7", **values,
    }  # fmt: skip


def turn(number: int, **values: Any) -> dict[str, Any]:
    role, text = SAID[number]
    at = f"2026-01-04T09:{number:02}:00"
    return {
        "session_id": "s1", "turn_index": number, "role": role, "content": text, "timestamp": at, "extracted": 0,
        **values,
    }  # fmt: skip


def memory(ident: str, content: str, **values: Any) -> dict[str, Any]:
    at = "2026-01-04T10:00:00"
    return {
        "id": ident, "content": content, "type": "fact", "priority": "long_term", "importance_score": 0.6,
        "created_at": at, "updated_at": at, **values,
    }  # fmt: skip


def database(folder: Path, **rows: list[dict[str, Any]]) -> Path:
    with closing(sqlite3.connect(folder / "openakita.db")) as base:
        for table, columns in _TABLES.items():
            base.execute(f"create table {table} ({columns})")
            for row in rows.get(table, ()):
                names = ", ".join(row)
                marks = ", ".join("?" * len(row))
                base.execute(f"insert into {table} ({names}) values ({marks})", tuple(row.values()))
        base.commit()
    return folder


def sessions_of(workspace: Workspace) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(Path(workspace.root).glob("sessions/*.md")))


def test_all_that_a_row_says_stands_in_the_session(workspace: Workspace, source: Path) -> None:
    database(source, conversation_turns=[turn(0), turn(1)], episodes=[episode("e-1")])
    report = workspace.import_from(source)
    assert report.kinds == {"session": 1, "episode": 1}
    (found,) = workspace.episodes(days=3650)
    assert (found.summary, found.goal, found.outcome, found.importance) == ("给水车换轴", "修水车", "success", 0.8)
    assert (found.entities, found.tags, found.tools) == (("水车", "河边"), ("木工",), ("measure", "saw"))
    measured, sawn = found.actions
    assert (measured.time, measured.input, measured.ok, measured.result, measured.decision) == (
        "09:01", "轴", True, "三寸", "用枣木",
    )  # fmt: skip
    assert (sawn.input, sawn.ok, sawn.result) == ("length=9 wood=枣木", False, "锯条断了")
    text = sessions_of(workspace)
    for said in (
        "[accesses:: 3]",
        "[used_tools:: oil]",
        "[workspace_snapshot_id:: snap-7]",
        "[ended:: 2026-01-04 09:30]",
    ):
        assert said in text
    assert "[origin:: openakita:e-1]" in text
    assert [one.text for one in workspace.sessions.show(found.session).turns] == ["水车不转了", "看看轴"]
    assert not [one for one in workspace.lint().diagnostics if one.path.startswith("sessions/")]


def test_each_episode_of_a_conversation_has_its_own_rounds_and_values(workspace: Workspace, source: Path) -> None:
    turns = [turn(number, episode_id="e-1" if number < 4 else "e-2") for number in range(6)]
    second = episode("e-2", summary="上油", goal="防锈", importance_score=0.3, started_at="2026-01-04T09:04:00")
    database(source, conversation_turns=turns, episodes=[second, episode("e-1")])
    report = workspace.import_from(source)
    assert report.kinds == {"session": 1, "episode": 2}
    found = workspace.episodes(days=3650)
    assert [(one.first, one.last, one.summary) for one in found] == [(1, 2, "给水车换轴"), (3, 3, "上油")]
    text = sessions_of(workspace)
    assert "[goal:: 修水车]" in text
    assert "[goal:: 防锈]" in text
    assert "[importance:: 0.3]" in text


@pytest.mark.parametrize("with_lines", [False, True], ids=["rows", "JSON lines"])
def test_without_ids_the_times_tell_the_rounds(workspace: Workspace, source: Path, *, with_lines: bool) -> None:
    turns = [turn(number) for number in range(6)]
    early = episode("e-1", ended_at="2026-01-04T09:01:30")
    late = episode("e-2", summary="换好了", started_at="2026-01-04T09:02:00", ended_at="2026-01-04T09:09:00")
    if with_lines:
        put(source, "conversation_history/s1.jsonl", "\n".join(json.dumps(one) for one in turns))
    database(source, conversation_turns=[] if with_lines else turns, episodes=[early, late])
    workspace.import_from(source)
    found = workspace.episodes(days=3650)
    assert [(one.first, one.last, one.summary) for one in found] == [(1, 1, "给水车换轴"), (2, 3, "换好了")]


def test_episodes_never_overlap_and_none_is_lost(workspace: Workspace, source: Path) -> None:
    """One was written when the conversation was condensed, another for all of it, a third has no conversation left."""
    whole = episode("e-2", summary="修水车的一天", started_at="2026-01-04T08:59:00", ended_at="2026-01-04T10:00:00")
    part = episode("e-1", source="context_compress", started_at="2026-01-04T08:00:00", ended_at="2026-01-04T09:02:30")
    gone = episode("e-3", session_id="s9", summary="卖掉旧轴", source="daily_consolidation")
    again = episode("e-4", summary="又说了一遍", started_at="2026-01-04T09:00:01", ended_at="2026-01-04T10:00:00")
    turns = [turn(number) for number in range(6)]
    report = workspace.import_from(database(source, conversation_turns=turns, episodes=[whole, part, gone, again]))
    assert (report.kinds, report.refused) == ({"session": 1, "episode": 4}, 0)
    found = {one.summary: (one.first, one.last, one.source) for one in workspace.episodes(days=3650)}
    assert found["给水车换轴"] == (1, 2, "context_compress")
    assert found["修水车的一天"] == (3, 3, "session_end")
    assert {"卖掉旧轴", "又说了一遍"} < found.keys()
    assert found["卖掉旧轴"][2] == "night"
    assert not [one for one in workspace.lint().diagnostics if one.path.startswith("sessions/")]


def linked(**values: Any) -> dict[str, list[dict[str, Any]]]:
    return {
        "memories": [
            memory("m-1", "水车的轴用枣木", source_episode_id="e-1"),
            memory("m-2", "河边的水车归邻居"),
            memory("m-3", "正在修水车", type="context", source_episode_id="e-1"),
            memory("m-4", "轴今天到货", expires_at="2026-01-05T00:00:00", source_episode_id="e-1"),
        ],
        "conversation_turns": [turn(number) for number in range(6)],
        "episodes": [episode("e-1", linked_memory_ids='["m-1", "m-2"]', **values)],
        "attachments": [
            {
                "id": "a-1", "session_id": "s1", "episode_id": "e-1", "filename": "轴.jpg", "local_path": "/tmp/轴.jpg",
                "direction": "inbound", "description": "断了的轴", "tags": '["照片"]', "linked_memory_ids": '["m-1"]',
                "created_at": "2026-01-04T09:00:00",
            }
        ],
    }  # fmt: skip


def test_memories_and_attachments_name_the_episode_and_it_names_them(workspace: Workspace, source: Path) -> None:
    report = workspace.import_from(database(source, **linked()))
    assert (report.written, report.refused) == (7, 0)
    (found,) = workspace.episodes(days=3650)
    facts = {f"{one.path}#{one.id}": one.text for one in workspace.facts()}
    assert {facts[one] for one in found.facts} == {"水车的轴用枣木", "河边的水车归邻居"}
    name = f"session:{found.session}#1-3"
    whole = contents(Path(workspace.root))
    lines = [line for data, _ in whole.values() for line in data.decode("utf-8", "replace").splitlines()]
    pointing = [line for line in lines if f"[episode:: {name}]" in line]
    assert len(pointing) == 4, "two facts, the line of the day, and what has expired"
    (attachment,) = workspace.attachments.list()
    assert (attachment.session, attachment.episode, attachment.tags) == (found.session, name, ("照片",))
    assert facts[attachment.linked[0]] == "水车的轴用枣木"
    assert not [one for one in workspace.lint().diagnostics if one.code in ("MM315", "MM321")]


def test_memories_that_came_first_are_linked_when_the_episode_comes(workspace: Workspace, source: Path) -> None:
    rows = [memory("m-1", "水车的轴用枣木", source_episode_id="e-1", priority="long_term")]
    put(source, "first/memories.json", json.dumps(rows, ensure_ascii=False))
    workspace.import_from(source / "first")
    (source / "second").mkdir()
    report = workspace.import_from(database(source / "second", **linked()))
    assert adds_up(report)
    (found,) = workspace.episodes(days=3650)
    assert len(found.facts) == 2
    text = "".join(path.read_text("utf-8") for path in Path(workspace.root).glob("facts/*.md"))
    assert text.count(f"[episode:: session:{found.session}#1-3]") == 2
    before = contents(Path(workspace.root))
    assert workspace.import_from(source / "second").written == 0
    assert contents(Path(workspace.root)) == before


def test_a_wrong_row_is_told_and_an_empty_one_is_skipped(workspace: Workspace, source: Path) -> None:
    empty = episode("e-3", summary="", goal="", action_nodes="[]")
    rows = [episode("e-1", importance_score="high"), episode("e-2", action_nodes="{nothing", entities="[1, {}]"), empty]
    report = workspace.import_from(database(source, episodes=rows))
    assert (report.written, report.skipped, report.refused) == (1, 1, 1)
    assert adds_up(report)


def test_secrets_are_masked_and_forgotten_episodes_stay_away(workspace: Workspace, source: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    rows = [episode("e-1", summary=f"令牌是 {secret}"), episode("e-2", session_id="s2", summary="买了一条旧船")]
    workspace.add("MEMORY.md", ["2026-01-07：买了一条旧船"])
    workspace.forget("买了一条旧船")
    place = database(source, episodes=rows)
    plan = workspace.import_from(place, dry_run=True)
    report = workspace.import_from(place)
    assert (report.written, report.refused, report.masked) == (plan.written, plan.refused, plan.masked) == (1, 1, 1)
    whole = contents(Path(workspace.root)).values()
    assert not any(secret.encode() in data or "买了一条旧船".encode() in data for data, _ in whole)
    assert workspace.import_from(place).written == 0


def test_the_night_writes_no_second_episode(workspace: Workspace, source: Path) -> None:
    workspace.import_from(database(source, conversation_turns=[turn(0), turn(1)], episodes=[episode("e-1")]))
    before = sessions_of(workspace)
    (found,) = workspace.sessions.list()
    assert workspace.episodes.write(found.id).status == "unchanged"
    assert sessions_of(workspace) == before


def test_an_episode_of_what_was_said_later_stands_in_the_later_session(workspace: Workspace, source: Path) -> None:
    """A conversation that went on has a session for each import, and each counts its rounds from one."""
    for name, count in (("first", 2), ("second", 6)):
        (source / name).mkdir()
        turns = [turn(number, episode_id="e-1" if number < 2 else "e-2") for number in range(count)]
        other = episode("e-2", summary="换好了", started_at="2026-01-04T09:02:00")
        rows = [episode("e-1"), other] if count == 6 else []
        assert workspace.import_from(database(source / name, conversation_turns=turns, episodes=rows)).refused == 0
    early, late = sorted(workspace.episodes(days=3650), key=lambda one: one.summary, reverse=True)
    assert (early.summary, early.first, early.last) == ("给水车换轴", 1, 1)
    assert (late.summary, late.first, late.last) == ("换好了", 1, 2)
    assert early.session != late.session
    assert workspace.sessions.show(late.session).turns[0].text == "轴断了"
