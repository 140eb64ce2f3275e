"""The databases of every generation of fastmemo: each entry is read once, and what cannot be read is told."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from mdmem import Workspace

from .samples import MEMO_TABLE, fastmemo_database, fastmemo_march, projectling, put
from .test_import import adds_up


def said_in(workspace: Workspace) -> dict[str, list[tuple[str, str]]]:
    found = (workspace.sessions.show(one.id) for one in workspace.sessions.list())
    return {one.started[:10]: [(turn.role, turn.text) for turn in one.turns] for one in found}


def test_the_diary_and_each_day_of_conversation_come_over(workspace: Workspace, source: Path) -> None:
    report = workspace.import_from(fastmemo_database(source))
    assert report.kinds == {"line": 2, "session": 2}
    assert said_in(workspace) == {
        "2026-01-09": [("user", "水车怎么不转"), ("assistant", "轴卡住了")],
        "2026-01-10": [("user", "冷不冷")],
    }


def test_what_a_file_and_the_database_both_say_is_one(workspace: Workspace, source: Path) -> None:
    report = workspace.import_from(fastmemo_march(source))
    assert (report.read, report.written, report.duplicate, report.refused) == (6, 5, 1, 0)
    day = (Path(workspace.root) / "memory/2026-01-09.md").read_text("utf-8")
    assert day.count("修好了水车") == 1


def test_the_last_generation_keeps_its_days_its_personas_and_its_diary(workspace: Workspace, source: Path) -> None:
    report = workspace.import_from(projectling(source))
    assert (report.read, report.skipped) == (6, 1), "the log of the program"
    assert report.kinds == {"line": 3, "session": 2}
    assert {one.agent for one in workspace.sessions.list()} == {"萤", "main"}
    day = (Path(workspace.root) / "memory/2026-01-09.md").read_text("utf-8")
    assert "今天修好了水车。" in day
    assert "明天要上油。" in day


@pytest.mark.parametrize("name", ["memo.db", "metamemory.db"])
def test_a_broken_database_is_told_and_what_lies_beside_it_is_read(
    workspace: Workspace, source: Path, name: str
) -> None:
    put(source, "fastmemo.jsonl", "fastmemo v2\n\n[历史感知]\n- 2026-01-20 修好水车\n")
    (source / name).write_bytes(b"SQLite format 3\0" + b"\x07" * 4000)
    report = workspace.import_from(source)
    assert (report.system, report.written, report.refused) == ("fastmemo", 1, 1)
    assert adds_up(report)


def test_a_row_without_text_or_time_is_told_alone(workspace: Workspace, source: Path) -> None:
    with closing(sqlite3.connect(source / "memo.db")) as base:
        base.execute(f"create table datememo {MEMO_TABLE}")
        rows = [("2026-01-09 08:00:00", "", "x", ""), ("gestern", "", "x", "没有日子"), ("", "2026-01-11", "x", "有")]
        base.executemany("insert into datememo (ts, date, speaker, content) values (?, ?, ?, ?)", rows)
        base.commit()
    report = workspace.import_from(source)
    assert (report.read, report.written, report.skipped, report.refused) == (3, 1, 1, 1)
    assert [one.place for one in report.items] == ["memo.db#datememo:1", "memo.db#datememo:2"]
