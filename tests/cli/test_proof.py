"""Pins, plans and proof as a person and a script meet them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run

NOTES = "# 笔记\n\n- 原始数据只读\n"


@pytest.fixture
def memory(folder: Path) -> Path:
    (folder / "notes.md").write_text(NOTES, "utf-8")
    (folder / "mdmem.toml").write_text('lang = "zh"\n', "utf-8")
    return folder


def test_a_pin_from_its_proof_to_the_archive_and_back(mdmem: Run, memory: Path) -> None:
    add = ("pin", "add", "原始数据", "一个字节也不动", "--type", "constraint", "--source")
    done = mdmem(*add, "file:notes.md#L3", "--ttl", "30 sessions")
    assert (done.returncode, done.stdout.split("：")[0][:6]) == (0, "✓ 已钉住 ")
    assert mdmem(*add, "file:notes.md#L9").returncode == 10
    (pin,) = json.loads(mdmem("pin", "list", "--json").stdout)["pins"]
    assert (pin["type"], pin["title"], pin["ttl"], pin["expired"]) == ("constraint", "原始数据", "30 sessions", False)
    assert "原始数据: 一个字节也不动" in mdmem("pin", "list").stdout
    assert mdmem("pin", "update", pin["key"], "--summary", "谁也不许动").returncode == 0
    assert mdmem("pin", "renew", pin["key"], "--ttl", "7d").returncode == 0
    line = (memory / "PINS.md").read_text("utf-8")
    assert "**原始数据**：谁也不许动" in line
    assert mdmem("pin", "remove", pin["key"], "--dry-run").returncode == 0
    assert (memory / "PINS.md").read_text("utf-8") == line
    assert mdmem("pin", "remove", pin["key"]).returncode == 0
    assert "谁也不许动" not in (memory / "PINS.md").read_text("utf-8")
    assert mdmem("undo").returncode == 0
    assert (memory / "PINS.md").read_text("utf-8") == line


def test_why_is_a_tree_and_nested_json(mdmem: Run, memory: Path) -> None:
    mdmem("pin", "add", "原始数据", "一个字节也不动", "-t", "constraint", "-s", "file:notes.md#L3")
    shown = mdmem("why", "一个字节").stdout.splitlines()
    assert shown[0].startswith("PINS.md:")
    assert "（钉住了一条）" in shown[2]
    assert shown[-2:] == ["└─ 出处 notes.md:3", "      - 原始数据只读"]
    found = json.loads(mdmem("why", "一个字节", "--json").stdout)
    assert found["written"]["reason"] == "pin-add"
    assert found["evidence"][0]["excerpt"] == ["- 原始数据只读"]
    assert mdmem("why", "没有的").returncode == 12


RUN = """---
tool_id: t0007
tool_name: shell
input: head -n 6 data.csv
exit_code: 0
created_at: 2026-02-03 20:19
---
a;b;c
"""
OLD = "- 逗号分隔 [from:: PINS.md] [why:: compacted] [archived:: 2026-02-03] [change:: {id}]\n"


@pytest.mark.parametrize(
    ("lang", "facts", "before"),
    [
        ("zh", "工具 shell  输入 head -n 6 data.csv  开始时间 2026-02-03 20:19  退出码 0", "已压缩"),
        ("en", "tool shell  input head -n 6 data.csv  started 2026-02-03 20:19  exit code 0", "condensed"),
    ],
)
def test_why_names_what_it_shows_in_the_readers_language(
    mdmem: Run, memory: Path, lang: str, facts: str, before: str
) -> None:
    (memory / "artifacts").mkdir()
    (memory / "artifacts" / "t0007.md").write_text(RUN, "utf-8")
    mdmem("pin", "add", "分隔符", "用分号", "-t", "code", "-s", "tool:t0007")
    change = json.loads(mdmem("log", "PINS.md", "--json").stdout)["transactions"][0]["id"]
    (memory / "archive").mkdir()
    (memory / "archive" / "2026-02.md").write_text(f"# 归档\n\n{OLD.format(id=change)}", "utf-8")
    shown = mdmem("why", "用分号", "--lang", lang).stdout
    assert facts in shown
    assert f"archive/2026-02.md:3 {before}\n" in shown
    assert "exit" in json.loads(mdmem("why", "用分号", "--json").stdout)["evidence"][0]["facts"], "JSON keeps its keys"


def test_evidence_can_do_nothing_to_a_terminal(mdmem: Run, memory: Path) -> None:
    (memory / "log.md").write_text("# l\n\n红\x1b[31m字\n", "utf-8")
    mdmem("pin", "add", "日志", "里面有控制字符", "-t", "code", "-s", "file:log.md#L3")
    assert "\x1b" not in mdmem("why", "控制字符", NO_COLOR="1").stdout


def test_a_plan_is_stepped_through_from_a_shell(mdmem: Run, memory: Path) -> None:
    assert "mdmem plan add" in mdmem("plan").stdout
    assert mdmem("plan", "add", "读数据", "画图").returncode == 0
    assert mdmem("plan", "add", "列出缺口", "--under", "1").returncode == 0
    assert "第 1.1 步" in mdmem("plan", "next").stdout
    for _ in range(2):
        assert mdmem("plan", "done").returncode == 0
    plan = json.loads(mdmem("plan", "--json").stdout)
    assert (plan["current"], plan["pointer"], plan["phase"]) == ("2", "2", "executing")
    assert mdmem("plan", "goto", "1").returncode == 0
    assert mdmem("plan", "done").returncode == 2
    assert mdmem("plan", "move", "2", "1").returncode == 0
    assert mdmem("plan", "phase", "blocked").returncode == 0
    assert mdmem("plan", "remove", "1", "--dry-run").returncode == 0
    assert mdmem("plan", "remove", "1").returncode == 0
    assert mdmem("plan").stdout.splitlines() == ["task_process.md  blocked", "→ 1      读数据", "    1.1  列出缺口"]
    assert mdmem("lint", "task_process.md").returncode == 0
    assert mdmem("plan", "add", "找站点", "--agent", "scout").returncode == 0
    assert "找站点" in mdmem("plan", "--agent", "scout").stdout


def test_an_agent_steps_with_one_tool(mdmem: Run, memory: Path) -> None:
    from mdmem.workspace import Workspace

    work = Workspace(memory, lang="en", cache=False)
    assert work.call("plan", {"action": "add", "text": "read"})["status"] == "done"
    assert work.call("plan", {"action": "add", "text": "list the gaps", "to": "1"})["status"] == "done"
    assert work.call("plan", {"action": "next"})["text"] == "executing\n[ ] 1 read\n[ ] 1.1 list the gaps ←"
    assert work.call("plan", {"action": "done", "step": "1"})["code"] == "usage"
    assert work.call("plan", {"action": "dance"})["status"] == "error"
    full = [work.call("pin_add", {"type": "code", "title": f"t{n}", "summary": f"number {n} of many", "source":
                                  "file:notes.md#L3"}) for n in range(21)]  # fmt: skip
    assert full[-1]["code"] == "refused"
    assert len(full[-1]["candidates"]) == 5
    assert len(work.call("pin_list", {})["text"].splitlines()) == 20
    assert "notes.md:3" in work.call("why", {"name": "number 7 of"})["text"]
