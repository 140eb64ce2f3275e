"""An export can be imported: into an empty workspace as it was, into another one beside what is there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mdmem import Workspace
from mdmem.importers.model import ImportReport

from .samples import openakita_v1, openakita_v2, put
from .test_import import contents

OWN = ("archive/imports.md", "mdmem.toml")  # what the import itself writes, and settings


@pytest.fixture
def moved(workspace: Workspace, source: Path) -> Workspace:
    """A workspace with facts of two ages, entries, a conversation with a tool, attachments and former origins."""
    workspace.import_from(openakita_v1(source))
    put(source, "v2/none.txt", "")
    workspace.import_from(openakita_v2(source / "v2"))
    workspace.facts.set("码头", "电压", "码头是 380 伏", at="2026-01-02")
    workspace.facts.set("码头", "电压", "码头改成 400 伏", at="2026-01-20")
    workspace.add("MEMORY.md", ["2026-01-07：种了一棵梨树"])
    with workspace.sessions.start("修门", agent="木匠") as session:
        session.turn("user", "门关不上")
        session.turn("assistant", "量一下", tool_calls=[{"name": "ruler", "input": {"of": "门"}, "id": "c1"}])
        session.turn("user", "然后呢", tool_results=[{"tool_use_id": "c1", "content": "长 " * 9000}])
    put(Path(workspace.root), "mdmem.toml", "[attachments]\nlist = 2\n")  # more are exported than a list shows
    for number in range(3):
        workspace.attach(str(put(source, f"gate-{number}.txt", f"oak {number}")), description=f"第 {number} 扇门")
    return workspace


@pytest.fixture
def empty(tmp_path: Path) -> Workspace:
    (tmp_path / "empty").mkdir()
    made = Workspace(tmp_path / "empty", lang="zh", cache=False)
    made.init()
    return made


def adds_up(report: ImportReport) -> bool:
    return report.read == report.written + report.duplicate + report.skipped + report.refused


def files(workspace: Workspace) -> dict[str, bytes]:
    return {path: data for path, (data, _) in contents(Path(workspace.root)).items() if path not in OWN}


@pytest.mark.slow
def test_an_empty_workspace_holds_afterwards_what_was_exported(
    moved: Workspace, empty: Workspace, tmp_path: Path
) -> None:
    moved.export_to(tmp_path / "out", form="jsonl")
    before = contents(tmp_path / "out")
    planned = empty.import_from(tmp_path / "out", dry_run=True)
    report = empty.import_from(tmp_path / "out")
    assert (report.system, report.refused) == ("mdmem", 0), report.items
    assert adds_up(report)
    assert (planned.read, planned.written, planned.kinds) == (report.read, report.written, report.kinds)
    assert set(empty.facts(before=True)) == set(moved.facts(before=True))
    assert list(empty.sessions.export()) == list(moved.sessions.export())
    assert set(empty.attachments.list(limit=99)) == set(moved.attachments.list(limit=99))
    assert files(empty) == files(moved)
    assert contents(tmp_path / "out") == before


def test_a_second_import_adds_nothing_and_former_origins_are_still_known(
    moved: Workspace, empty: Workspace, source: Path, tmp_path: Path
) -> None:
    moved.export_to(tmp_path / "out", form="jsonl")
    empty.import_from(tmp_path / "out")
    before = contents(Path(empty.root))
    assert empty.import_from(tmp_path / "out").written == 0
    assert empty.import_from(source / "memories.json").written == 0
    assert contents(Path(empty.root)) == before


@pytest.mark.thorough
@pytest.mark.slow
def test_facts_and_entries_are_added_to_those_that_are_there(
    moved: Workspace, empty: Workspace, tmp_path: Path
) -> None:
    empty.facts.set("用户", "爱好", "用户爱好划船")
    empty.add("MEMORY.md", ["2026-01-01：买了一条船"])
    moved.export_to(tmp_path / "out", form="jsonl")
    report = empty.import_from(tmp_path / "out")
    assert adds_up(report)
    said = {one.text for one in empty.facts()}
    assert said == {one.text for one in moved.facts()} | {"用户爱好划船"}
    memory = (Path(empty.root) / "MEMORY.md").read_text("utf-8")
    assert "买了一条船" in memory
    assert "种了一棵梨树" in memory
    assert not list((Path(empty.root) / "facts").glob("*-2.md"))


@pytest.mark.parametrize("path", ["../../x.md", "/etc/x.md", ".git/config", "mdmem.toml", "a/../../b.md"])
def test_a_path_of_a_forged_export_stays_in_the_workspace(
    empty: Workspace, source: Path, tmp_path: Path, path: str
) -> None:
    put(source, "entries.jsonl", json.dumps({"path": path, "text": "- 伪造的一行\n"}) + "\n")
    put(source, "facts.jsonl", "")
    put(source, "files/.git/hooks/run", "x")
    outside = contents(tmp_path, "empty")
    before = contents(Path(empty.root))
    report = empty.import_from(source)
    assert adds_up(report)
    assert contents(tmp_path, "empty") == outside
    after = contents(Path(empty.root))
    assert {name: after[name] for name in before} == before
    assert all(name.endswith(".md") and not name.startswith(".") for name in after.keys() - before.keys())


def test_a_copy_never_replaces_another_file(empty: Workspace, source: Path) -> None:
    put(Path(empty.root), "attachments/plan.txt", "mine")
    put(source, "entries.jsonl", json.dumps({"path": "notes/n.md", "text": "- 一行\n"}) + "\n")
    put(source, "facts.jsonl", "")
    put(source, "files/attachments/plan.txt", "theirs")
    report = empty.import_from(source)
    assert (report.written, report.refused) == (1, 1)
    assert (Path(empty.root) / "attachments/plan.txt").read_text() == "mine"
