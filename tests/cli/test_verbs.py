"""The verbs of the pen as a person and a script meet them: what they print, what they leave, how they exit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any

import in_process
import pytest
from forms import each
from harness import holding
from verbs import PAGE as COMMANDS_PAGE
from verbs import commands, paths, without_row

from mdmem.cli.console import table, width
from mdmem.cli.grammar.application import VerbCommand
from mdmem.workspace import Workspace

from .conftest import Run, environment


@pytest.fixture
def memory(mdmem: Run, folder: Path) -> Path:
    """A Chinese workspace with FASTMEMO.md and a MEMORY.md."""
    (folder / "mdmem.toml").write_text('lang = "zh"\n')
    mdmem("init")
    return folder


def pipe(folder: Path, home: Path, text: str | bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    data = text.encode() if isinstance(text, str) else text
    return in_process.run(*arguments, cwd=folder, env=environment(home), given=data)


def test_add_says_where_it_stands_and_show_names_it(mdmem: Run, memory: Path) -> None:
    done = mdmem("add", "FASTMEMO.md", "主人在上海", "主人用 zsh", "--section", "用户", "--field", "source=chat:42")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "✓ 2 条已记到 FASTMEMO.md「用户感知」"
    assert "  + 主人在上海 [source:: chat:42]" in done.stdout.splitlines()
    shown = mdmem("show", "FASTMEMO.md").stdout
    (row,) = [line for line in shown.splitlines() if line.endswith("- 主人用 zsh [source:: chat:42]")]
    key = row.partition(" │ ")[0]
    assert re.fullmatch("[0-9a-f]{6}", key)
    assert mdmem("rm", "FASTMEMO.md", key).returncode == 0
    assert "主人用 zsh" not in (memory / "FASTMEMO.md").read_text("utf-8")
    assert "主人在上海" in (memory / "FASTMEMO.md").read_text("utf-8")


def test_show_gives_programs_every_part_of_an_entry(mdmem: Run, memory: Path) -> None:
    (memory / "notes.md").write_text(
        "- 上面\n\n# 甲\n\n- [x] 2026-02-13：交了 #工作 [source:: chat:42] ^k7f3\n  - 里层\n", "utf-8"
    )
    (shown,) = json.loads(mdmem("show", "notes.md", "--json").stdout)["files"]
    assert [(part["title"], len(part["entries"])) for part in shown["sections"]] == [("", 1), ("甲", 2)]
    assert shown["sections"][1]["entries"][0] == {
        "key": "^k7f3", "line": 5, "depth": 0, "text": "[x] 2026-02-13：交了 #工作 [source:: chat:42] ^k7f3",
        "done": True, "date": "2026-02-13", "tags": ["工作"], "fields": {"source": "chat:42"},
    }  # fmt: skip
    everything = mdmem("show").stdout
    assert [name for name in ("FASTMEMO.md", "MEMORY.md", "SOUL.md") if f"{name}\n" not in everything] == []


def test_the_same_again_changes_nothing_and_exits_1(mdmem: Run, memory: Path) -> None:
    first = mdmem("add", "FASTMEMO.md", "先验证再汇报", "-s", "我")
    again = mdmem("add", "FASTMEMO.md", "先验证再汇报", "-s", "自我感知")
    assert (first.returncode, again.returncode) == (0, 1)
    assert again.stdout.startswith("= ")


def test_a_batch_is_one_change(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    (tmp_path / "batch.txt").write_text("2026-02-01：一\n\n2026-02-02：二\n", "utf-8")
    assert mdmem("add", "MEMORY.md", "--batch", str(tmp_path / "batch.txt"), "-s", "重要事件").returncode == 0
    assert pipe(memory, tmp_path, "2026-02-03：三\n", "add", "memory", "--batch", "-", "-s", "重要事件").returncode == 0
    changes = json.loads(mdmem("log", "MEMORY.md", "--json").stdout)["transactions"]
    assert len(changes) == 2
    assert [part for part in ("一", "二", "三") if part in (memory / "MEMORY.md").read_text("utf-8")] == [
        "一",
        "二",
        "三",
    ]


def test_edit_shows_both_lines_and_refuses_what_is_not_unique(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    mdmem("add", "MEMORY.md", "2026-02-14：主人面试", "-s", "重要事件")
    done = mdmem("edit", "MEMORY.md", "--old", "周五有面试", "--new", "周五有复试")
    assert done.stdout.splitlines() == [
        "✓ 成功替换了 MEMORY.md 中的文本",
        "  - 2026-02-13：主人说周五有面试",
        "  + 2026-02-13：主人说周五有复试",
    ]
    many = mdmem("edit", "MEMORY.md", "--old", "主人", "--new", "x")
    assert many.returncode == 12
    assert "找到 2 处匹配" in many.stderr
    assert "5: - 2026-02-13：主人说周五有复试" in many.stderr, "the places are shown"
    for name, text in (("old", "复试"), ("new", "终面")):
        (tmp_path / name).write_text(text, "utf-8")
    files = ("--old-file", str(tmp_path / "old"), "--new-file", str(tmp_path / "new"))
    assert mdmem("edit", "MEMORY.md", *files).returncode == 0
    assert "周五有终面" in (memory / "MEMORY.md").read_text("utf-8")
    assert mdmem("edit", "MEMORY.md", "--old", "x").returncode == 2


def test_a_dry_run_writes_nothing(mdmem: Run, memory: Path) -> None:
    before = (memory / "MEMORY.md").read_bytes()
    done = mdmem("rm", "MEMORY.md", "主人说周五", "--dry-run")
    assert (done.returncode, done.stdout[0]) == (0, "?")
    assert "  - 2026-02-13：主人说周五有面试" in done.stdout.splitlines()
    assert (memory / "MEMORY.md").read_bytes() == before
    assert [one["reason"] for one in json.loads(mdmem("log", "--json").stdout)["transactions"]] == ["init"]


def test_tick_and_its_undo(mdmem: Run, memory: Path) -> None:
    mdmem("add", "MEMORY.md", "[ ] 2026-02-20：交周报", "-s", "待办与承诺")
    assert mdmem("tick", "MEMORY.md", "交周报").returncode == 0
    assert "- [x] 2026-02-20：交周报\n" in (memory / "MEMORY.md").read_text("utf-8")
    assert mdmem("tick", "MEMORY.md", "交周报", "--undo").returncode == 0
    assert "- [ ] 2026-02-20：交周报\n" in (memory / "MEMORY.md").read_text("utf-8")


def test_write_guards_what_is_there(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    long = "# 世界\n\n" + "".join(f"- 第 {number} 件事，写得足够长，长到算得上内容\n" for number in range(40))
    assert pipe(memory, tmp_path, long, "write", "world_state.md").returncode == 0
    short = pipe(memory, tmp_path, "# 世界\n", "write", "world_state.md")
    assert short.returncode == 14
    assert (memory / "world_state.md").read_text("utf-8") == long
    assert pipe(memory, tmp_path, "# 世界\n", "write", "world_state.md", "--yes").returncode == 0
    assert pipe(memory, tmp_path, b"\xff", "write", "world_state.md").returncode == 5


def test_expect_merges_what_it_can(mdmem: Run, memory: Path) -> None:
    seen = json.loads(mdmem("show", "MEMORY.md", "--json").stdout)["files"][0]["digest"]
    mdmem("add", "MEMORY.md", "2026-02-14：过了", "-s", "重要事件")
    assert mdmem("edit", "MEMORY.md", "--old", "面试", "--new", "复试", "--expect", seen).returncode == 0
    text = (memory / "MEMORY.md").read_text("utf-8")
    assert "周五有复试" in text
    assert "过了" in text


def test_mv_moves_and_never_over_another(mdmem: Run, memory: Path) -> None:
    assert mdmem("mv", "FASTMEMO.md", "SOUL.md").returncode != 0
    assert mdmem("mv", "MEMORY.md", "memory/old.md").returncode == 0
    assert (memory / "memory" / "old.md").exists()
    assert not (memory / "MEMORY.md").exists()


def test_a_full_section_waits_in_the_inbox_and_comes_home(mdmem: Run, memory: Path) -> None:
    mdmem("add", "FASTMEMO.md", *(f"第{number}条：{number * 'x'}" for number in range(10)), "-s", "用户感知")
    done = mdmem("add", "FASTMEMO.md", "放不下的这一条", "-s", "用户感知")
    assert (done.returncode, done.stdout[0]) == (0, "⏳")
    assert "inbox.md" in done.stdout
    (waiting,) = json.loads(mdmem("inbox", "list", "--json").stdout)["waiting"]
    assert "放不下的这一条" in mdmem("inbox", "list").stdout
    mdmem("rm", "FASTMEMO.md", "第0条")
    assert mdmem("inbox", "accept", waiting["key"]).returncode == 0
    assert "- 放不下的这一条\n" in (memory / "FASTMEMO.md").read_text("utf-8")
    assert mdmem("inbox", "list").stdout == "收件箱是空的\n"


@pytest.mark.slow
def test_log_diff_and_undo_tell_the_story(process: Run, memory: Path) -> None:
    process("add", "MEMORY.md", "2026-02-14：过了", "-s", "重要事件")
    process("edit", "MEMORY.md", "--old", "过了", "--new", "没过")
    edit, added, _ = json.loads(process("log", "--json").stdout)["transactions"]  # the first is `init`
    header, *rows = process("log").stdout.splitlines()
    ids = [row.split()[0] for row in rows]
    assert [one["id"].endswith(short) for one, short in zip((edit, added), ids[:2], strict=True)] == [True, True]
    assert "+1 −1" in rows[0]
    assert header.split()[0] == "编号"
    diff = process("diff", ids[0]).stdout
    assert diff.startswith("--- a/MEMORY.md\n+++ b/MEMORY.md\n@@ ")
    assert "-- 2026-02-14：过了\n+- 2026-02-14：没过\n" in diff
    assert process("undo").returncode == 0
    assert "：过了" in (memory / "MEMORY.md").read_text("utf-8")
    assert len(json.loads(process("log", "--json").stdout)["transactions"]) == 4, "`init` is a change, and so is undo"


def test_restore_brings_back_and_dismiss_takes_it_as_meant(mdmem: Run, memory: Path) -> None:
    mdmem("add", "MEMORY.md", "2026-02-13：面试", "-s", "重要事件")
    whole = (memory / "MEMORY.md").read_text("utf-8")
    (memory / "MEMORY.md").unlink()
    found = mdmem("lint")
    assert found.returncode == 1
    assert "MEMORY.md:1:1: 警告 MM122 这个文件在 mdmem 之外被删掉了" in found.stdout
    assert "已被删除" in mdmem("status").stdout
    planned = mdmem("restore", "MEMORY.md", "--dry-run")
    assert planned.returncode == 0
    assert planned.stdout.startswith("? 试运行，什么都没写；真正运行时会说：已找回 MEMORY.md")
    assert not (memory / "MEMORY.md").exists()
    below = memory / "memory"
    below.mkdir(exist_ok=True)
    done = json.loads(mdmem("restore", "../MEMORY.md", "--json", cwd=below).stdout)
    assert (done["status"], (memory / "MEMORY.md").read_text("utf-8")) == ("done", whole)
    assert mdmem("restore", "MEMORY.md").returncode == 1, "nothing to do"
    (memory / "MEMORY.md").unlink()
    assert mdmem("restore", "MEMORY.md", "--dismiss", "--at", "2026-02-13").returncode == 2
    assert "有意的" in mdmem("restore", "memory", "--dismiss").stdout, "a kind is its file"
    assert mdmem("lint").returncode == 0
    for wrong in (("nothing.md",), ("MEMORY.md", "--at", "neulich"), ("../../x.md",)):
        done = mdmem("restore", *wrong)
        assert done.returncode > 1
        assert "Traceback" not in done.stderr


def test_forget_asks_and_then_forgets(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    plan = mdmem("forget", "面试", "--dry-run")
    assert plan.returncode == 0
    assert "MEMORY.md" in plan.stdout
    alone = pipe(memory, tmp_path, "", "forget", "面试")
    assert alone.returncode == 14, "without a terminal nobody's word is guessed"
    assert "面试" in (memory / "MEMORY.md").read_text("utf-8")
    assert mdmem("forget", "面试", "--yes").returncode == 0
    assert holding(memory, "面试") == []


def test_forget_names_what_it_could_not_read(mdmem: Run, memory: Path) -> None:
    os.mkfifo(memory / "pipe.md")
    plan = mdmem("forget", "面试", "--dry-run", "--json")
    assert (plan.returncode, [one["path"] for one in json.loads(plan.stdout)["unread"]]) == (5, ["pipe.md"])
    done = mdmem("forget", "面试", "--yes")
    assert done.returncode == 5
    assert "pipe.md" in done.stdout
    assert "面试" not in (memory / "MEMORY.md").read_text("utf-8")


def test_a_refused_secret_is_not_echoed(mdmem: Run, memory: Path) -> None:
    done = mdmem("add", "MEMORY.md", "路由器的密码是 Kz8-river-77", "-s", "重要事件")
    assert done.returncode == 10
    assert "Kz8" not in done.stdout + done.stderr
    assert holding(memory, "Kz8") == []


def test_a_wrong_section_is_told_with_the_right_ones(mdmem: Run, memory: Path) -> None:
    done = mdmem("add", "FASTMEMO.md", "x", "-s", "心情")
    assert done.returncode == 12
    assert "自我感知" in done.stderr


def test_tool_call_prints_one_object_and_exits_by_its_status(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    def call(text: str | bytes, name: str) -> tuple[int, Any]:
        done = pipe(memory, tmp_path, text, "tool", "call", name)
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr.decode()

    code, reply = call('{"path": "fastmemo", "section": "我", "content": "冷静"}', "memory_add")
    assert (code, reply["status"], reply["path"]) == (0, "done", "FASTMEMO.md")
    code, reply = call('{"path": "fastmemo"}', "memory_add")
    assert (code, reply["code"]) == (2, "usage")
    assert call('{"path": "no.md"}', "read")[0] == 12
    for broken, exits, named in (("{", 2, "usage"), ("[" * 100_000, 2, "usage"), (b"\xff", 5, "unreadable-file")):
        code, reply = call(broken, "read")
        assert (code, reply["status"], reply["code"]) == (exits, "error", named)
    (memory / "raw.md").write_bytes(b"- caf\xe9\n")
    assert "caf\ufffd" in call('{"path": "raw.md"}', "read")[1]["text"]
    listed = json.loads(mdmem("tool", "list", "--json").stdout)["tools"]
    assert {"name", "description", "input_schema"} == set(listed[0])


def test_init_without_a_name_is_a_usage_error(mdmem: Run, tmp_path: Path) -> None:
    for name in ("", "  "):
        done = mdmem("init", name, cwd=tmp_path)
        assert done.returncode == 2
        assert done.stderr.startswith("mdmem: ")
    assert not (tmp_path / "mdmem.toml").exists()


def test_lost_files_of_a_kind_are_dismissed_by_its_name(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    for name in ("gate", "boat"):
        pipe(memory, tmp_path, f"# {name}\n\n- the {name} is green\n", "write", f"facts/{name}.md")
    for file in (memory / "facts").iterdir():
        file.unlink()
    assert mdmem("lint").stdout.count("MM122") == 2
    done = mdmem("restore", "facts", "--dismiss")
    assert (done.returncode, done.stderr) == (0, "")
    assert "MM122" not in mdmem("lint").stdout


def test_a_conflict_is_told_with_the_file_and_the_line(mdmem: Run, memory: Path) -> None:
    sides = "<<<<<<< HEAD\n- 一\n=======\n- 二\n>>>>>>> laptop\n"
    (memory / "MEMORY.md").write_text(f"# 🧠 记忆\n\n## 重要事件\n\n{sides}", "utf-8")
    done = mdmem("add", "MEMORY.md", "三", "-s", "重要事件")
    assert done.stderr.startswith("mdmem: MEMORY.md:5: ")


def test_every_verb_works_from_anywhere_with_root(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    root = ("--root", str(memory))
    assert mdmem("add", "MEMORY.md", "2026-02-14：过了", "-s", "重要事件", *root, cwd=tmp_path).returncode == 0
    assert "过了" in mdmem("show", "MEMORY.md", *root, cwd=tmp_path).stdout
    below = memory / "memory"
    below.mkdir(exist_ok=True)
    assert mdmem("tick", "../MEMORY.md", "过了", cwd=below).returncode == 0
    outside = mdmem("add", "../../x.md", "x", cwd=below)
    assert outside.returncode not in (0, 1)
    assert str(tmp_path) not in outside.stderr


@cache
def verbs() -> dict[str, VerbCommand]:
    """Return every command by its words."""
    return {" ".join(path): command for path, command in commands()}


# They begin, judge files, print a page, speak a protocol, or write what a shell reads.
OLDER = {"init", "lint", "explain", "hook install", "hook uninstall", "hook run", "help", "completion", "mcp", "merge"}
# A line in, a line out: nothing to choose.
SPEAKS_JSON = {"session record": {"--json"}, "session export": {"--json"}}
_PREVIEWS = ("plan", "dry_run")
REMOVES = {"rm", "undo", "forget", "pin remove", "plan remove"}


@pytest.mark.parametrize("name", sorted(map(" ".join, paths())))
def test_every_verb_has_help_json_and_root(name: str) -> None:
    command = verbs()[name]
    options = {flag for one in command.params for flag in one.opts}
    assert name in OLDER or {"--json", "--root", "--lang"} <= options | SPEAKS_JSON.get(name, set())
    assert name not in REMOVES or "--dry-run" in options


def test_every_preview_has_one_name() -> None:
    previews = {name: one.opts for name, verb in verbs().items() for one in verb.params if one.name in _PREVIEWS}
    assert "night" in previews
    assert {flags[0] for flags in previews.values()} == {"--dry-run"}
    assert previews["night"] == ["--dry-run", "--plan"]


def test_every_verb_stands_on_the_page_of_commands() -> None:
    assert list(without_row(COMMANDS_PAGE.read_text("utf-8"))) == [], "run `python -m tests.surface.write`"


def terminal(folder: Path, home: Path, columns: int, *arguments: str, **more: str) -> str:
    """Run in a pseudo-terminal of a width, and give what it showed."""
    import pty

    main, side = pty.openpty()
    env = environment(home) | {"COLUMNS": str(columns), "TERM": "xterm-256color"} | more
    command = [sys.executable, "-m", "mdmem", *arguments]
    with subprocess.Popen(command, cwd=folder, env=env, stdin=side, stdout=side, stderr=side) as process:
        os.close(side)
        shown = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # Linux says EIO where the other side has closed
                break
            if not piece:
                break
            shown += piece
        process.wait()
    os.close(main)
    return shown.decode()


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a Unix thing")
@pytest.mark.parametrize("lang", each(2, ["zh", "en"]))
def test_sentences_are_folded_to_the_terminal(mdmem: Run, memory: Path, tmp_path: Path, lang: str) -> None:
    (memory / "home").mkdir()
    long = "we shall remember that the boathouse key hangs below the blue flowerpot, 因为安去年夏天把它挪到了那里，" * 2
    session = mdmem("session", "start", "the boathouse and its key").stdout.strip()
    mdmem("session", "turn", session, "user", long)
    mdmem("session", "turn", session, "assistant", long)
    mdmem("add", "MEMORY.md", "x")
    lines: list[str] = []
    for verb in (
        ("remember", long), ("add", "MEMORY.md", long), ("restore", "MEMORY.md"), ("session", "end", session),
        ("session", "end", session), ("episode", "list"), ("connect", "codex", "--project", "home"), ("night",),
        ("doctor",), ("import", "x" * 90),
    ):  # fmt: skip
        shown = re.sub(r"\x1b\[[0-9;]*m", "", terminal(memory, tmp_path, 80, *verb, "--lang", lang))
        assert "Traceback" not in shown
        lines += [line for line in shown.splitlines() if not line.startswith(("  +", "  -"))]
        lines += [line for line in shown.splitlines() if verb[0] in ("add", "remember")]
    # a path or an id is not broken
    assert [line for line in lines if width(line) > 80 and max(map(width, line.split())) < 76] == []


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a Unix thing")
def test_a_terminal_gets_colour_and_lines_that_fit(mdmem: Run, memory: Path, tmp_path: Path) -> None:
    for number in range(3):
        mdmem("add", "FASTMEMO.md", f"主人第{number}次说：{'话说得很长，' * 9}", "-s", "用户感知")
    for columns, verb in each(3, list(product((80, 120), ("log", "inbox list", "tool list", "pin list")))):
        shown = terminal(memory, tmp_path, columns, *verb.split())
        plain = re.sub(r"\x1b\[[0-9;]*m", "", shown)
        assert max(width(line) for line in plain.splitlines()) <= columns, (verb, columns)
    assert "\x1b[" in terminal(memory, tmp_path, 80, "log")
    assert "\x1b[" not in terminal(memory, tmp_path, 80, "log", NO_COLOR="1")
    assert "\x1b[" not in mdmem("log").stdout


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a Unix thing")
@pytest.mark.parametrize("lang", each(2, ["en", "zh"]))
def test_tables_findings_and_pages_fit_eighty_columns(memory: Path, tmp_path: Path, lang: str) -> None:
    (memory / "notes").mkdir()
    name = "notes/a very long name of a note that nobody types by hand.md"
    wrong = f"- {'昨天去医院做了检查，' * 8}\n- 2026-02-31: no such day\n- 2026-01-01：my password is hunter2-aTx93\n"
    (memory / name).write_text(wrong, "utf-8")
    (memory / "MEMORY.md").write_text(f"# 🧠 记忆\n\n## 重要事件\n\n{wrong}\n##工作\n", "utf-8")
    shown = {}
    for verb in (
        "lint", "status", "context --explain", "context --list", "explain", "explain MM301", "explain MM602",
        "config show --all", "init inner", "index rebuild", "export --to ../left", "show memory", "search 检查",
        "connect claude --project . --dry-run",
    ):  # fmt: skip
        text = terminal(memory, tmp_path, 80, *verb.split(), "--lang", lang)
        shown[verb] = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
        lines = [line.rpartition("\r")[2] for line in shown[verb].replace("\r\n", "\n").split("\n")]
        assert [line for line in lines if width(line) > 80] == [], verb
        assert "Traceback" not in text
    assert "hunter2" not in shown["lint"]
    assert "…" in shown["context --explain"].splitlines()[0] or lang == "zh"
    assert "(`.`)" in shown["init inner"] or "（`.`）" in shown["init inner"]
    for verb in ("lint", "index rebuild", "export --to ../left"):
        assert re.search(r"(\d+)/\1\b", shown[verb]), "done and total"


@pytest.mark.parametrize("verb", ["lint", "index rebuild", "export --to ../left", "night", "search x"])
def test_a_pipe_sees_no_progress(mdmem: Run, memory: Path, verb: str) -> None:
    done = mdmem(*verb.split())
    assert not re.search(r"\d/\d|━", done.stderr)


def test_accept_without_a_key_takes_the_only_thing_that_waits_or_lists(mdmem: Run, memory: Path) -> None:
    assert mdmem("inbox", "accept").returncode == 1
    work = Workspace(memory)
    work.add("SOUL.md", ["be kind"], section="边界", actor="agent")
    work.add("SOUL.md", ["be patient"], section="边界", actor="agent")
    listed = mdmem("inbox", "accept", "--json")
    assert (listed.returncode, len(json.loads(listed.stdout)["waiting"])) == (1, 2)
    work.inbox.reject([work.inbox.list()[0].key])
    assert mdmem("inbox", "accept").returncode == 0
    assert "be patient" in (memory / "SOUL.md").read_text("utf-8")


def test_today_and_remember_write_without_a_file_or_section(mdmem: Run, memory: Path) -> None:
    assert mdmem("today", "the roof is tight again").returncode == 0
    assert len(list((memory / "memory").glob("*.md"))) == 1
    told = mdmem("remember", "Mara prefers window seats", "--lang", "en")
    assert "classified as: preference" in told.stdout
    assert "Mara prefers window seats" in (memory / "MEMORY.md").read_text("utf-8")


def test_looking_without_a_file_passes_over_what_is_not_for_reading(mdmem: Run, folder: Path) -> None:
    mdmem("add", "MEMORY.md", "likes green tea")
    mdmem("forget", "green tea", "--yes")
    assert (folder / "archive/forgotten.md").exists()
    shown = mdmem("show")
    assert (shown.returncode, shown.stderr) == (0, "")
    assert "MEMORY.md" in shown.stdout


def test_a_name_that_is_no_file_is_told_so(mdmem: Run) -> None:
    assert mdmem("log", "NOPE.md", "--lang", "en").stdout == "mdmem has not changed a file of this name\n"
    assert mdmem("compact", "NOPE.md").returncode == 12


def test_a_text_that_begins_with_a_bullet_is_a_text(mdmem: Run, folder: Path) -> None:
    assert mdmem("remember", "- 买牛奶").returncode == 0
    assert mdmem("edit", "MEMORY.md", "--old", "- 2026-02-13", "--new", "- 2026-02-12").returncode == 0
    assert "买牛奶" in (folder / "MEMORY.md").read_text("utf-8")
    assert mdmem("remember", "-buy").returncode == 2


def test_an_unknown_property_is_answered_with_the_known_ones(mdmem: Run) -> None:
    mdmem("fact", "set", "user", "home address", "Maliebaan 12", "--lang", "en")
    asked = mdmem("fact", "history", "user", "adress", "--lang", "en")
    assert (asked.returncode, "`adress`" in asked.stdout, "home address" in asked.stdout) == (1, True, True)
    assert "no facts are recorded about `mira`" in mdmem("fact", "history", "mira", "adress", "--lang", "en").stdout


def test_undo_without_an_id_passes_over_the_beginning_of_the_folder(tmp_path: Path) -> None:
    run = partial(in_process.run_text, cwd=tmp_path, env=environment(tmp_path))
    assert run("init", "memory").returncode == 0
    assert (run("undo", "--root", "memory").returncode, (tmp_path / "memory/mdmem.toml").exists()) == (12, True)


def test_help_and_rules_speak_the_language_of_the_named_folder(mdmem: Run, tmp_path: Path) -> None:
    Workspace(tmp_path / "zh", lang="zh").init()
    for words in (("help", "add"), ("explain", "MM310")):
        assert mdmem("--root", str(tmp_path / "zh"), *words).stdout == mdmem(*words, "--lang", "zh").stdout
    gone = mdmem("tick", str(tmp_path / "zh" / "PINS.md"), "x", cwd=tmp_path)
    assert "建议" in gone.stderr
    assert "hint" not in gone.stderr


def test_what_waits_is_shown_whole_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mdmem.cli.console.columns", lambda: 60)
    text = "I would prefer a compact summary in the first line of every report that you send me"
    lines = "\n".join(table(("key", "text"), [("k1", text)], ("dim", ""), whole=True)).splitlines()
    assert max(map(width, lines)) <= 60
    assert " ".join(" ".join(lines[1:]).split()) == f"k1 {text}"
    assert "…" in table(("key", "text"), [("k1", text)], ("dim", ""))[1]


def test_status_counts_the_notes_that_lint_checks_and_no_artifact(mdmem: Run, memory: Path) -> None:
    assert "`mdmem lint`" not in mdmem("status", "--lang", "en").stdout
    for name in ("plans.md", "notes/计划.md", "artifacts/x.md", "read.txt"):
        (memory / name).parent.mkdir(exist_ok=True)
        (memory / name).write_text("# Plans\n\n- a boat\n", "utf-8")
    assert "2 notes of no kind beside them" in mdmem("status", "--lang", "en").stdout
    assert "另有 2 个" in mdmem("status", "--lang", "zh").stdout
