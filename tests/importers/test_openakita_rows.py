"""What single rows of OpenAkita say: nothing of them is lost, and a model's odd values are coerced."""

from __future__ import annotations

import json
from pathlib import Path

from mdmem import Workspace

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


def test_tags_are_kept_unless_they_repeat_the_type(workspace: Workspace, source: Path) -> None:
    rows = [
        memory("t1", "水车的轴用枣木", tags=["木工", "河边"]),
        memory("t2", "测试前先备份", type="rule", tags=["rule"]),
        memory("t3", "邻居会修锯", tags='["邻居"]'),
    ]
    workspace.import_from(put(source, "memories.json", json.dumps(rows)))
    text = "".join(path.read_text("utf-8") for path in Path(workspace.root).glob("facts/*.md"))
    assert "[tags:: 木工,河边]" in text
    assert "[tags:: 邻居]" in text
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
