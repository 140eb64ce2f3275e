"""`mdmem compact` as a person and a script meet it: what it prints, what it leaves, how it exits."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import in_process
from harness import entries, said

from mdmem.watch.board import keep
from mdmem.workspace import Workspace

from .conftest import Make

TEXT = "# 表层记忆\n\n## 用户感知\n\n" + "".join(f"- 第 {n} 件事，用了 {n} 小时\n" for n in range(1, 11))


def run(root: str, *arguments: str, text: str = "") -> subprocess.CompletedProcess[str]:
    env = os.environ | {"LANG": "C.UTF-8"}
    return in_process.run_text("compact", *arguments, cwd=root, env=env, given=text)


def test_a_plan_shows_the_diff_and_a_run_makes_it(make: Make) -> None:
    root = make({"FASTMEMO.md": TEXT}).root
    plan = run(root, "--plan")
    assert plan.stdout.startswith("? 试运行，什么都没写；真正运行时会说：已压缩 FASTMEMO.md：「用户感知」10 → 1 条\n")
    assert "  - 第 1 件事，用了 1 小时" in plan.stdout
    done = run(root, "--json")
    (outcome,) = json.loads(done.stdout)["outcomes"]
    assert (done.returncode, outcome["status"], outcome["path"]) == (0, "done", "FASTMEMO.md")
    again = run(root)
    assert (again.returncode, again.stdout) == (1, "= 没有要压缩或整理的\n")


def test_an_agent_reads_the_prompt_and_pipes_its_answer(make: Make) -> None:
    workspace = make({"FASTMEMO.md": TEXT})
    prompt = run(workspace.root, "--prompt")
    assert "第 7 件事，用了 7 小时" in prompt.stdout
    assert said(workspace, "FASTMEMO.md") == TEXT
    wrong = run(workspace.root, "--apply", "-", text="做好了！")
    assert (wrong.returncode, wrong.stdout.splitlines()) == (
        1,
        ["✗ FASTMEMO.md 没有改动：答案里没有可以解析的 JSON", "  12 秒后再试"],
    )
    assert said(workspace, "FASTMEMO.md") == TEXT
    line = " ｜ ".join(f"第 {n} 件事 {n} 小时" for n in range(1, 11))
    answer = Path(workspace.root, "..", "answer.json")
    answer.write_text(json.dumps([{"section": "用户感知", "content": line}]), "utf-8")
    right = run(workspace.root, "--apply", str(answer))
    assert right.returncode == 0, right
    assert entries(workspace, "FASTMEMO.md", "用户感知") == [line]


def test_prompt_and_apply_exclude_each_other(make: Make) -> None:
    assert run(make().root, "--prompt", "--apply", "-").returncode == 2
    assert run(make().root, "--backend", "magic").returncode == 2


def rested(workspace: Workspace) -> Workspace:
    """Let FASTMEMO.md be ten minutes old."""
    os.utime(Path(workspace.root, "FASTMEMO.md"), (time.time() - 600, time.time() - 600))
    return workspace


def test_a_watcher_is_told_what_was_done_and_when_to_ask_again(make: Make, tmp_path: Path) -> None:
    workspace = rested(make({"FASTMEMO.md": TEXT}))
    done = keep(workspace.config)
    (told,) = done.notices
    assert told.message.startswith("已压缩 FASTMEMO.md：「用户感知」10 → 1 条")
    assert done.again is None
    assert keep(workspace.config) == ((), None)
    own = tmp_path / "config" / "mdmem" / "mdmem.toml"
    own.parent.mkdir(parents=True)
    own.write_text('[keeper]\nbackend = "command"\n[command]\nrun = ["/no/such/program"]\n', "utf-8")
    other = rested(make({"FASTMEMO.md": TEXT}))
    (told,), again = keep(other.config)
    assert "FASTMEMO.md 没有改动" in told.message
    assert again is not None
    assert 0 < again <= 12
    assert said(other, "FASTMEMO.md") == TEXT


TALK = [
    {"role": "user", "text": "data/raw 只读。修好导入。"},
    {"role": "assistant", "text": "修复了 src/import.py，5 项测试全绿。"},
]
MESSAGES = "".join(f"{json.dumps(one)}\n" for one in TALK)


def test_a_context_comes_by_pipe_and_its_memory_is_kept_or_printed(make: Make) -> None:
    workspace = make()
    below = run(workspace.root, "context", text=MESSAGES)
    assert (below.returncode, "到 70000 才需要压缩" in below.stdout) == (1, True)
    printed = run(workspace.root, "context", "--now", "--text", text=MESSAGES)
    assert printed.stdout == (
        "# 精简记忆\n\n## 状态\n\n- data/raw 只读。 #规则\n- 修好导入\n- 修复了 src/import.py，5 项测试全绿\n\n"
        "## 关键事件\n\n- 修好导入\n- 修复了 src/import.py，5 项测试全绿\n"
    )
    assert not Path(workspace.root, ".compact_memory.md").exists()
    kept = run(workspace.root, "context", "--now", "--json", text=json.dumps(TALK))
    assert json.loads(kept.stdout)["text"] == printed.stdout
    assert "修复了 src/import.py" in said(workspace, ".compact_memory.md")
    assert '"path": ".compact_memory.md"' in run(workspace.root, "context", "--prompt", text=MESSAGES).stdout
    wrong = run(workspace.root, "context", "--now", text=f'{MESSAGES}{{"role": "user"')
    assert (wrong.returncode, "第 3 条不是消息" in wrong.stderr) == (2, True)
    assert run(workspace.root, "fastmemo", "--text").returncode == 2


def test_chat_windows_are_named_by_their_kind(make: Make) -> None:
    nothing = run(make().root, "session")
    assert (nothing.returncode, nothing.stdout) == (1, "= 没有要压缩或整理的\n")
