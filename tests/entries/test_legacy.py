"""A surface memory of an older format: used where it is the only one, reported where it is not (F005)."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Make, Text

from mdmem.keeper.conversation.pool import find_pool
from mdmem.workspace import Workspace

PLACES = ("fastmemo.txt", "fastmemo.jsonl", "fastmemory_old.jsonl", "memory/fastmemo.jsonl", "memory/fastmemo.txt")
OLD = """fastmemo v1 | max_chars: 1800 | updated: 2026-01-20 08:15:00

[动态成长人格]：阿青的人格成长
- 回信先写结论

[用户感知画像]
- 主人每天六点起床跑步

[人生旅程]
- 2026-01-12 从旧手机搬过来

[淡化池]：可以忘掉的
- 旧手机的序列号贴在抽屉里
- 以前的闹钟是六点半
"""
NEW = "# 表层记忆\n\n## 自我感知\n\n## 用户感知\n\n## 环境感知\n\n## 历史感知\n\n## 动态context池\n"


def surface(memory: Workspace) -> str:
    return memory.pack("chat").text


@pytest.mark.parametrize("place", PLACES)
def test_the_only_one_is_packed_and_written(make: Make, text: Text, place: str) -> None:
    memory = make("zh", {place: OLD})
    assert "主人每天六点起床跑步" in surface(memory)
    assert "序列号" not in surface(memory), "what is to fade is in no pack"
    given = {"path": "fastmemo", "section": "我", "content": "道歉一次就够"}
    reply = memory.call("memory_add", given)
    assert (reply["status"], reply["path"]) == ("done", place)
    assert "- 道歉一次就够\n" in text(place)
    assert not (Path(memory.root) / "FASTMEMO.md").exists()
    assert "道歉一次就够" in surface(memory)
    assert "MM121" not in {one.code for one in memory.lint().diagnostics}


def test_a_beginning_leaves_the_older_file_alone(make: Make) -> None:
    memory = make("zh", {"memory/fastmemo.jsonl": OLD})
    assert "memory/fastmemo.jsonl" in memory.init().kept
    assert not (Path(memory.root) / "FASTMEMO.md").exists()


@pytest.mark.parametrize("place", PLACES)
def test_beside_the_new_one_it_is_a_finding_with_its_way_out(make: Make, place: str) -> None:
    memory = make("zh", {place: OLD, "FASTMEMO.md": NEW})
    found = [one for one in memory.lint().diagnostics if one.code == "MM121"]
    assert [(one.path, one.severity) for one in found] == [(place, "warning")]
    command = found[0].hint.partition("`")[2].partition("`")[0].split()
    assert command[:2] == ["mdmem", "mv"]
    assert "序列号" not in surface(memory)
    assert memory.rename(*command[2:]).status == "done"
    assert "MM121" not in {one.code for one in memory.lint().diagnostics}
    assert memory.search("跑步", archive=True)


def test_an_agents_own_two_are_told_too(make: Make) -> None:
    memory = make("zh", {"agents/scout/fastmemo.txt": OLD, "agents/scout/FASTMEMO.md": NEW, "FASTMEMO.md": NEW})
    assert [one.path for one in memory.lint().diagnostics if one.code == "MM121"] == ["agents/scout/fastmemo.txt"]


@pytest.mark.parametrize("form", ["old", "new"])
def test_what_is_to_fade_goes_to_the_archive(make: Make, text: Text, form: str) -> None:
    faded = "## 淡化池\n\n- 旧手机的序列号贴在抽屉里\n- 以前的闹钟是六点半\n"
    place, before = ("fastmemo.txt", OLD) if form == "old" else ("FASTMEMO.md", f"{NEW}\n{faded}")
    memory = make("zh", {place: before})
    hints = [one.hint for one in memory.lint().diagnostics if one.code == "MM202"]
    assert ["mdmem compact" in hint for hint in hints] == [True]
    assert "归档" in "".join(one for file in memory.status() for one in file.pending)
    done = memory.compact("fastmemo")
    assert [one.status for one in done] == ["done"]
    assert "淡化池" not in text(place)
    assert "跑步" in text(place) or form == "new"
    kept = text("archive/2026-02.md")
    for said in ("旧手机的序列号贴在抽屉里", "以前的闹钟是六点半"):
        assert said in kept
    assert kept.count("[why:: retired]") == 2
    assert "MM202" not in {one.code for one in memory.lint().diagnostics}
    assert memory.compact("fastmemo")[0].status == "unchanged"


def test_what_else_stands_there_keeps_its_heading(make: Make, text: Text) -> None:
    memory = make("zh", {"FASTMEMO.md": f"{NEW}\n## 淡化池\n\n先别删。\n\n- 以前的闹钟是六点半\n"})
    memory.compact("fastmemo")
    assert text("FASTMEMO.md").rstrip().endswith("## 淡化池\n\n先别删。")
    assert "六点半" in text("archive/2026-02.md")


def test_the_keeper_condenses_the_older_file(make: Make, text: Text) -> None:
    memory = make("zh", {"fastmemo.txt": OLD})
    plan = memory.compact("fastmemo", now=True, plan=True)
    assert {one.path for one in plan} == {"fastmemo.txt"}
    assert text("fastmemo.txt") == OLD


def test_a_session_is_condensed_into_the_older_file(make: Make) -> None:
    memory = make("zh", {"memory/fastmemo.jsonl": OLD})
    pool = find_pool(memory.config, 1)
    assert (pool.path, pool.section) == ("memory/fastmemo.jsonl", "动态context池")
