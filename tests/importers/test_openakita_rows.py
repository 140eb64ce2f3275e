"""What single rows of OpenAkita say: nothing of them is lost, and a model's odd values are coerced."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

from mdmem import Workspace
from mdmem.cli.app import main
from mdmem.facts import service as fact_service
from mdmem.importers import import_writer

from .samples import memory, put
from .test_openakita_episodes import database, episode, turn


def test_messages_that_only_the_database_has_follow_those_of_the_file(workspace: Workspace, source: Path) -> None:
    """The file may end earlier; where both have a message, the time of the file holds."""
    lines = [{"role": "user", "content": "水车不转了", "timestamp": "2026-01-04T08:00:00"}]
    put(source, "conversation_history/s1.jsonl", "\n".join(map(json.dumps, lines)))
    database(source, conversation_turns=[turn(0, extracted=1), turn(1), turn(2)])
    workspace.import_from(source)
    (found,) = workspace.sessions.list()
    turns = workspace.sessions.show(found.id).turns
    assert [(one.time, one.text) for one in turns] == [
        ("08:00", "水车不转了"),
        ("09:01", "看看轴"),
        ("09:02", "轴断了"),
    ]
    text = (Path(workspace.root) / found.path).read_text("utf-8")
    assert "extracted_through: 1\n" in text


def test_one_run_brings_so_many_facts_and_the_next_one_the_rest(workspace: Workspace, source: Path) -> None:
    (Path(workspace.root) / "mdmem.toml").write_text('lang = "zh"\n[imports]\nfacts = 2\n', "utf-8")
    rows = [
        memory(f"n{number}", text)
        for number, text in enumerate(("水车归我", "轴是枣木的", "桨叶有八片", "门朝南", "锁换过"))
    ]
    place = put(source, "memories.json", json.dumps(rows))
    seen = []
    for _ in range(4):
        report = Workspace(workspace.root).import_from(place)
        assert report.read == report.written + report.duplicate + report.skipped + report.refused == 5
        assert all("再导入一次" in one.reason for one in report.items if one.state == "skipped")
        seen.append((report.written, report.duplicate, report.skipped))
    assert seen == [(2, 0, 3), (2, 2, 1), (1, 4, 0), (0, 5, 0)]


@pytest.mark.thorough
def test_facts_that_their_file_has_no_room_for_go_on_in_others(
    workspace: Workspace, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (Path(workspace.root) / "mdmem.toml").write_text(
        'lang = "zh"\n[imports]\nbatch = 10\n[lint]\nmax_bytes = 4000\n', "utf-8"
    )
    rows = [memory(f"n{number}", f"{number} 号水车转了{number * 7}圈") for number in range(80)]
    changes = mock.Mock(side_effect=fact_service.write_facts)
    monkeypatch.setattr(import_writer, "write_facts", changes)
    report = Workspace(workspace.root).import_from(put(source, "memories.json", json.dumps(rows)))
    assert (report.written, report.refused) == (80, 0)
    assert changes.call_count < 80
    parts = list(Path(workspace.root).glob("facts/未分类*.md"))
    assert len(parts) > 1
    assert all(part.stat().st_size <= 4000 for part in parts)


def test_tags_are_kept_unless_they_repeat_the_type(workspace: Workspace, source: Path) -> None:
    rows = [
        memory("t1", "水车的轴用枣木", tags=["木工", "河边"]),
        memory("t2", "测试前先备份", type="rule", tags=["rule"]),
        memory("t3", "邻居会修锯", tags='["[邻居]"]'),
    ]
    workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    text = "".join(path.read_text("utf-8") for path in Path(workspace.root).glob("facts/*.md"))
    assert "[tags:: 木工,河边]" in text
    assert "[tags:: (邻居)]" in text
    assert text.count("[tags::") == 2


def test_a_memory_that_was_superseded_names_the_one_that_took_its_place(workspace: Workspace, source: Path) -> None:
    rows = [
        memory("o1", "水车有八片桨叶", subject="水车", superseded_by="o2"),
        memory("o2", "水车有九片桨叶", subject="水车"),
        memory("o3", "旧门是红的", subject="门", superseded_by="gone"),
    ]
    workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    facts = {one.text: one for one in workspace.facts(before=True)}
    assert facts["水车有八片桨叶"].superseded_by == facts["水车有九片桨叶"].id
    assert not facts["旧门是红的"].live
    assert not [one for one in workspace.lint().diagnostics if one.severity == "error" or one.code == "MM315"]


def test_values_of_a_model_are_coerced(workspace: Workspace, source: Path) -> None:
    odd = {
        "tools_used": '[{"name": "glue"}, "saw"]',
        "entities": '["河", {"name": "水车"}, 7]',
        "importance_score": "0.8",
    }
    report = workspace.import_from(database(source, episodes=[episode("e-1", **odd)]))
    assert report.refused == 0
    (found,) = workspace.episodes(days=3650)
    assert (found.entities, found.importance) == (("河", "水车", "7"), 0.8)
    assert "[used_tools:: glue]" in (Path(workspace.root) / found.path).read_text("utf-8")


def test_a_scratchpad_without_text_gives_its_lists(workspace: Workspace, source: Path) -> None:
    lists = {"active_projects": '["修水车"]', "open_questions": '["轴从哪买"]', "next_steps": '["上油"]'}
    pads = [
        {"user_id": "default", "content": "## 当前项目\n- 修水车\n", "current_focus": "换轴", **lists},
        {"user_id": "other", "content": "", "current_focus": "", **lists},
    ]
    report = workspace.import_from(database(source, scratchpad=pads))
    assert report.refused == 0
    pad = workspace.scratchpad()
    assert (pad.active_projects, pad.open_questions, pad.next_steps) == (("修水车", "换轴"), ("轴从哪买",), ("上油",))


def test_a_record_whose_origin_stands_far_down_is_found_again(workspace: Workspace, source: Path) -> None:
    given = {"id": "a-1", "filename": "轴.png", "url": f"data:image/png;base64,{'A' * 9000}", "description": "断了的轴"}
    database(source, attachments=[given])
    assert workspace.import_from(source).written == 1
    again = workspace.import_from(source)
    assert (again.written, again.duplicate, again.refused) == (0, 1, 0)
    assert len(workspace.attachments.list()) == 1


def test_rows_on_one_line_are_told_apart(workspace: Workspace, source: Path) -> None:
    rows = [memory(f"r{number}", "") for number in range(3)]
    report = workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    assert [one.place for one in report.items] == ["memories.json:1", "memories.json:1#2", "memories.json:1#3"]


def test_types_and_priorities_are_read_in_any_case(workspace: Workspace, source: Path) -> None:
    types = {"Fact": "fact", "PREFERENCE": "preference", "Experience": "skill", "weird": "fact", "Error": "error"}
    rows = [memory(f"k{at}", f"第 {at} 件", type=one, priority="Permanent") for at, one in enumerate(types)]
    workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    found = {one.text: (one.type, one.priority) for one in workspace.facts()}
    assert found == {f"第 {at} 件": (one, "permanent") for at, one in enumerate(types.values())}


def test_a_memory_of_another_user_or_agent_says_whose_it_is(workspace: Workspace, source: Path) -> None:
    mine = {"scope": "global", "scope_owner": "", "agent_id": "", "user_id": "default", "workspace_id": "default"}
    rows = [memory("u1", "水车归我", **mine), memory("u2", "磨坊归她", **mine | {"user_id": "ada", "agent_id": "木匠"})]
    workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    text = "".join(path.read_text("utf-8") for path in Path(workspace.root).glob("facts/*.md"))
    assert text.count("[user_id:: ada]") == text.count("[agent_id:: 木匠]") == 1
    assert "default" not in text


def test_an_import_of_which_something_was_refused_is_no_success(workspace: Workspace, source: Path) -> None:
    place = put(source, "memories.json", json.dumps([memory("x1", "x" * 700)]))
    for form in ([], ["--json"], ["--dry-run"]):
        assert main(["import", str(place), "--root", str(workspace.root), *form]) == 1
    put(source, "memories.json", json.dumps([memory("x1", "x" * 700), memory("x2", "水车归我")]))
    assert main(["import", str(place), "--root", str(workspace.root)]) == 1
    assert main(["import", str(place), "--root", str(workspace.root)]) == 1


def test_a_newer_value_replaces_the_older_one_and_the_lines_that_state_it_get_a_correction(
    workspace: Workspace, source: Path
) -> None:
    Path(workspace.root, "MEMORY.md").write_text("# 记忆\n\n## 笔记\n\n- 2026-01-01：主人住在宁波，离海不远\n", "utf-8")
    workspace.facts.set("用户", "住址", "住在宁波", at="2026-01-01")
    rows = [memory("aa01", "住在绍兴", subject="用户", predicate="city")]
    workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    fresh = Workspace(workspace.root)
    assert [one.text for one in fresh.facts("用户")] == ["住在绍兴"]
    (change,) = [item.change for item in fresh.inbox.list() if item.path == "MEMORY.md"]
    assert "住在绍兴" in change
