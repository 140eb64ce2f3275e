"""`mdmem context` as a person and a program meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import Run


@pytest.fixture
def memory(mdmem: Run, folder: Path) -> Path:
    """A Chinese workspace with a little in it."""
    (folder / "mdmem.toml").write_text('lang = "zh"\n')
    (folder / "PINS.md").write_text("- 只读 [type:: constraint] [source:: chat:1]\n- 坏\x1b[31m字\n", "utf-8")
    return folder


def test_a_pack_its_table_and_its_json(mdmem: Run, memory: Path) -> None:
    plain = mdmem("context", "pet")
    assert plain.returncode == 0
    assert plain.stdout.startswith("# 记忆\n\n## 重要事件\n\n- 2026-02-13：主人说周五有面试\n")
    table = mdmem("context", "chat", "--explain")
    assert "重要信息" in table.stdout
    assert "█" in table.stdout
    assert "预算 16000" in table.stdout
    assert "没有这个文件或内容" in table.stdout
    told = json.loads(mdmem("context", "chat", "--json", "--budget", "5").stdout)
    assert told["tokens"] <= told["budget"] == 5
    assert next(pin["summary"] for pin in told["pins"]) == "只读"
    assert {part["why"] for part in told["parts"]} <= {"missing", "budget", "empty"}
    assert any(left["why"] == "budget" for part in told["parts"] for left in part["left"])


def test_no_escape_of_a_file_reaches_the_terminal(mdmem: Run, memory: Path) -> None:
    for options in ((), ("--explain",), ("--json",)):
        assert "\x1b" not in mdmem("context", "chat", *options).stdout


def test_the_chat_and_the_prompt_come_from_files(mdmem: Run, memory: Path) -> None:
    (memory / "chat.json").write_text('[{"role": "user", "content": "你好"}, ["assistant", "好哎"]]', "utf-8")
    (memory / "base.txt").write_text("你是小满。", "utf-8")
    shown = mdmem("context", "chat", "--rounds", "chat.json", "--prompt", "base.txt").stdout
    assert shown.startswith("# 基础提示词\n\n你是小满。\n")
    assert shown.endswith("# 最新三轮\n\n**user**: 你好\n\n**assistant**: 好哎\n")


def test_the_recipes_are_listed(mdmem: Run, memory: Path) -> None:
    listed = mdmem("context", "--list", "--lang", "en").stdout
    assert "Base prompt · Rules the user has set · Surface memory · Past summaries" in listed
    named = [one["name"] for one in json.loads(mdmem("context", "--list", "--json").stdout)["recipes"]]
    agents = ["agent", "agent_compact", "agent_file"]
    assert named == ["chat", "chat_v0", "tool_loop", "minimal", "full", "pet", "layered", *agents, "default"]


def test_what_a_pack_leaves_out_is_one_line_beside_it(mdmem: Run, memory: Path) -> None:
    facts = "".join(f"- 2026-02-1{day}：第 {day} 天去了医院复查，一切都好\n" for day in range(1, 9))
    (memory / "MEMORY.md").write_text(f"# 🧠 记忆\n\n## 重要事件\n\n{facts}", "utf-8")
    whole = mdmem("context", "pet")
    assert whole.stderr == ""
    small = mdmem("context", "pet", "--budget", "130")
    assert "第 8 天" in small.stdout
    (line,) = small.stderr.splitlines()
    assert line.startswith("mdmem: 没有放进来：")
    assert "条超出预算" in line
    assert "`mdmem context pet --explain`" in line
    assert mdmem("context", "pet", "--budget", "130", "--json").stderr == ""
    (told,) = mdmem("context", "pet", "--budget", "130", "--lang", "en").stderr.splitlines()
    assert "beyond the budget" in told


def test_a_recipe_that_yields_nothing_says_what_would_fill_it(mdmem: Run, memory: Path) -> None:
    done = mdmem("context", "minimal", "--lang", "en")
    assert (done.returncode, done.stdout) == (0, "")
    assert "recipe `minimal` has nothing to pack: Base prompt, Knowledge, How this is done, " in done.stderr
    assert "knowledge/, mdmem handoff, SCRATCHPAD.md, .compact_memory.md; or name another recipe" in done.stderr


def test_an_edited_state_waits_in_the_inbox(mdmem: Run, memory: Path) -> None:
    (memory / "PINS.md").write_text("- 只读 [type:: constraint] [source:: chat:1]\n", "utf-8")
    state = json.loads(mdmem("context", "--json").stdout)
    (memory / "state.json").write_text(json.dumps(state), "utf-8")
    assert mdmem("context", "--propose", "state.json").returncode == 1, "nothing has changed"
    state["pins"][0]["summary"] = "周末也只读"
    (memory / "state.json").write_text(json.dumps(state), "utf-8")
    done = mdmem("context", "--propose", "state.json", "--lang", "en")
    assert done.returncode == 0
    assert "the changes of PINS.md wait in inbox.md" in done.stdout
    assert "+- 周末也只读 [type:: constraint]" in mdmem("inbox", "list").stdout
    (memory / "state.json").write_text("{", "utf-8")
    broken = mdmem("context", "--propose", "state.json", "--lang", "en")
    assert broken.returncode == 2
    assert "not valid JSON: see line 1, column 2" in broken.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("dinner",), 2, "可用的配方：chat"),
        (("chat", "--json", "--explain"), 2, "--explain"),
        (("chat", "--rounds", "MEMORY.md"), 2, "JSON"),
        (("chat", "--agent", "../x"), 2, "智能体不能叫"),
    ],
)
def test_what_makes_no_sense_is_told(
    mdmem: Run, memory: Path, arguments: tuple[str, ...], code: int, said: str
) -> None:
    done = mdmem("context", *arguments)
    assert done.returncode == code
    assert said in done.stdout + done.stderr
