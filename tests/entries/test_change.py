"""Changing what is there: entries, sections, exact text, whole files; nothing is lost silently (law 6)."""

from __future__ import annotations

import os
import re

import pytest
from conftest import Make, Text

from mdmem.errors import ConflictError, RefusedError, TargetError, UsageError
from mdmem.store.history.versions import fingerprint
from mdmem.workspace import Workspace

CRLF = """\ufeff# 🧠 记忆

## 待办与承诺

- [ ] 提醒主人周五准备面试 ^k7f3
  - 带上\u3000简历 🐾
- 2026-02-13：交周报
1. 编号的
""".replace("\n", "\r\n")


@pytest.fixture
def memory(make: Make) -> Workspace:
    return make(files={"MEMORY.md": CRLF})


def test_replace_keeps_everything_but_the_text(memory: Workspace, text: Text) -> None:
    done = memory.replace("MEMORY.md", "k7f3", "[ ] 2026-02-20：改到周六", actor="nian")
    assert done.message == "已修改 MEMORY.md 里的这一条"
    assert text("MEMORY.md") == CRLF.replace("提醒主人周五准备面试", "2026-02-20：改到周六")
    assert memory.replace("MEMORY.md", "^k7f3", "[ ] 2026-02-20：改到周六").status == "unchanged"


def test_a_replaced_memory_has_a_date_too(make: Make, text: Text) -> None:
    done = make(files={"MEMORY.md": CRLF}).replace("MEMORY.md", "交周报", "交月报")
    assert "2026-02-20：交月报\r\n" in text("MEMORY.md")
    assert "已补上今天" in done.hint


def test_tick_and_back(memory: Workspace, text: Text) -> None:
    assert memory.tick("MEMORY.md", "k7f3", actor="nian").message == "已在 MEMORY.md 里标为完成"
    assert text("MEMORY.md") == CRLF.replace("[ ]", "[x]")
    assert memory.tick("MEMORY.md", "k7f3").status == "unchanged"
    assert memory.tick("MEMORY.md", "k7f3", done=False).message == "已在 MEMORY.md 里取消完成标记"
    assert text("MEMORY.md") == CRLF


def test_what_is_removed_goes_to_the_archive_with_what_stands_below(memory: Workspace, text: Text) -> None:
    plan = memory.remove("MEMORY.md", ["k7f3"], dry_run=True)
    assert (plan.status, plan.transaction) == ("planned", None)
    assert plan.message == "试运行，什么都没写；真正运行时会说：从 MEMORY.md 移走了 2 条"
    assert "-- [ ] 提醒主人周五准备面试 ^k7f3\n" in plan.diff
    assert text("MEMORY.md") == CRLF
    done = memory.remove("MEMORY.md", ["k7f3", "带上　简历"], actor="nian", reason="面试取消了")
    assert done.transaction
    assert _named(done.diff, done.transaction.id) == _named(plan.diff, "")
    assert "已移到 archive/2026-02.md" in done.hint
    assert "提醒" not in text("MEMORY.md")
    tail = f"[from:: MEMORY.md#待办与承诺] [why:: removed] [archived:: 2026-02-20] [change:: {done.transaction.id}]"
    assert f"- [ ] 提醒主人周五准备面试 {tail} ^k7f3\n- 带上　简历 🐾 {tail}\n" in text("archive/2026-02.md")
    assert [one.path for one in done.transaction.files] == ["MEMORY.md", "archive/2026-02.md"]
    assert done.transaction.reason == "面试取消了"
    memory.remove("MEMORY.md", ["交周报"])
    assert text("archive/2026-02.md").count("[why:: removed]") == 3


def test_a_dry_run_leaves_not_even_a_folder(memory: Workspace, text: Text) -> None:
    before = sorted(os.listdir(memory.root))
    memory.remove("MEMORY.md", ["k7f3"], dry_run=True)
    memory.delete("MEMORY.md", dry_run=True)
    assert sorted(os.listdir(memory.root)) == before


def test_an_entry_with_code_below_is_archived_whole(make: Make, text: Text) -> None:
    memory = make(files={"MEMORY.md": "# 记忆\n\n## 笔记\n\n- 构建：\n  ```\n  just all\n  ```\n- 别的\n"})
    memory.remove("MEMORY.md", ["构建"])
    assert "just all" in text("archive/2026-02.md")
    assert text("MEMORY.md") == "# 记忆\n\n## 笔记\n\n- 别的\n"


SECTION = """# 表层记忆

## 自我感知

## 用户感知

<!-- 注释 -->

- 喜欢茶
- 早睡
- 怕冷

## 环境感知

## 历史感知

## 动态context池
"""


def test_a_section_is_overwritten_and_the_old_entries_are_archived(make: Make, text: Text) -> None:
    memory = make(files={"FASTMEMO.md": SECTION})
    done = memory.replace_section("FASTMEMO.md", "用户", "- 喜欢茶\n- 作息规律、怕冷\n", actor="keeper")
    assert text("FASTMEMO.md") == SECTION.replace("- 早睡\n- 怕冷", "- 作息规律、怕冷")
    assert "- 早睡 [from:: FASTMEMO.md#用户感知] [why:: compacted] [archived:: 2026-02-20] [change:: " in text(
        "archive/2026-02.md"
    )
    assert "喜欢茶" not in text("archive/2026-02.md")
    assert done.message == "已改写 FASTMEMO.md「用户」"


@pytest.mark.parametrize("content", ["", "  \n", "<!-- 注释 -->"])
def test_nothing_is_emptied_by_an_empty_answer(make: Make, text: Text, content: str) -> None:
    with pytest.raises((UsageError, RefusedError)):
        make(files={"FASTMEMO.md": SECTION}).replace_section("FASTMEMO.md", "用户感知", content, actor="keeper")
    assert text("FASTMEMO.md") == SECTION


def test_too_much_for_a_section_waits(make: Make, text: Text) -> None:
    memory = make(files={"FASTMEMO.md": SECTION})
    rows = "".join(f"- 第{chr(0x4E00 + number)}条\n" for number in range(12))
    done = memory.replace_section("FASTMEMO.md", "用户感知", rows, confirm=True, actor="keeper")
    assert (done.status, len(memory.inbox.list())) == ("waiting", 2)
    assert done.message == "「用户感知」满了（最多 10 条），2 条先放进 inbox.md「放不下的」"


EDITS = [
    ("交周报", "✅ 已交周报（2026-02-14）", "done", ""),
    ("- 2026-02-13：交周报\n1. 编号的\n", "- 2026-02-13：交周报\n- 新的\n1. 编号的\n", "done", ""),
    ("带上 简历", "带上  简历和证件", "done", "按第 6 行的原文替换了"),
    ("交周报", "交周报", "unchanged", ""),
]


@pytest.mark.parametrize(("old", "new", "status", "hint"), EDITS)
def test_exact_edits_keep_line_endings_and_wide_spaces(
    make: Make, text: Text, old: str, new: str, status: str, hint: str
) -> None:
    done = make(files={"MEMORY.md": CRLF}).edit("MEMORY.md", old, new, actor="nian")
    assert (done.status, done.message) == (
        status,
        "成功替换了 MEMORY.md 中的文本" if status == "done" else "替换后内容没有变化。",
    )
    assert hint in done.hint
    after = text("MEMORY.md")
    assert "\n" not in after.replace("\r\n", "")
    assert after.startswith("\ufeff")
    if not hint:
        assert after == CRLF.replace(old.replace("\n", "\r\n"), new.replace("\n", "\r\n"))


def test_what_an_edit_does_not_find_is_said_in_the_words_that_agents_know(make: Make) -> None:
    memory = make(files={"MEMORY.md": CRLF + "- 2026-02-14：交周报\r\n"})
    with pytest.raises(TargetError, match=r"^无法在 MEMORY.md 中找到指定文本。最接近的是第 5 行$") as none:
        memory.edit("MEMORY.md", "提醒主人周六准备面试", "b")
    assert none.value.candidates[0] == "5: - [ ] 提醒主人周五准备面试 ^k7f3"
    assert "请先重新读一遍" in none.value.hint
    with pytest.raises(TargetError, match=r"^文件不存在：USER.md$"):
        memory.edit("USER.md", "x", "b")
    with pytest.raises(TargetError, match=r"^找到 2 处匹配。请提供更多上下文使其唯一。$") as twice:
        memory.edit("MEMORY.md", "交周报", "b")
    assert (twice.value.count, len(twice.value.candidates)) == (2, 2)
    with pytest.raises(UsageError):
        memory.edit("MEMORY.md", "", "b")


def test_the_same_in_english(make: Make) -> None:
    memory = make("en", {"x.md": "- tea\n- tea\n"})
    with pytest.raises(TargetError, match=r"found 2 matches"):
        memory.edit("x.md", "tea", "b")
    with pytest.raises(TargetError, match=r"the text was not found in x\.md; line 1 is the closest"):
        memory.edit("x.md", "tea pot", "b")
    assert memory.edit("x.md", "- tea\n- tea", "- tea").message == "replaced the text in x.md"


def test_entries_that_are_not_found_or_not_the_only_ones(memory: Workspace, make: Make) -> None:
    with pytest.raises(TargetError, match=r"^MEMORY.md 里找不到这一条$"):
        memory.tick("MEMORY.md", "体检")
    with pytest.raises(TargetError, match=r"^MEMORY.md 里有 2 条对得上，请说得更准$") as caught:
        make(files={"MEMORY.md": CRLF + "- 月底交周报的总结\r\n"}).tick("MEMORY.md", "交周报")
    assert len(caught.value.candidates) == 2


def test_write_makes_and_replaces_and_says_how_much(make: Make, text: Text) -> None:
    memory = make()
    assert memory.write("notes.md", "# 笔记\n\n- 一\n").message == "成功写入 16 字节到 notes.md"
    done = memory.write("notes.md", "# 笔记\n\n- 一\n- 二\n", actor="nian")
    assert (done.message, text("notes.md")) == ("成功写入 22 字节到 notes.md", "# 笔记\n\n- 一\n- 二\n")
    assert done.diff == "--- a/notes.md\n+++ b/notes.md\n@@ -3 +3,2 @@\n - 一\n+- 二\n"
    assert memory.write("notes.md", "# 笔记\n\n- 一\n- 二\n").status == "unchanged"


def test_write_keeps_the_files_line_endings_and_byte_order_mark(make: Make, text: Text) -> None:
    make(files={"MEMORY.md": CRLF}).write("MEMORY.md", CRLF[1:].replace("\r\n", "\n") + "- 新的\n")
    assert text("MEMORY.md") == CRLF + "- 新的\r\n"


@pytest.mark.parametrize("content", ["", "\n", "# 记忆\n\n## 重要事件\n\n<!-- 值得记住的事情 -->\n"])
def test_write_makes_no_empty_memory(make: Make, content: str) -> None:
    with pytest.raises(RefusedError, match="要有第一条记忆才新建"):
        make().write("MEMORY.md", content, actor="nian")


def test_a_version_that_was_not_seen_is_not_written_over(make: Make, text: Text) -> None:
    memory = make(files={"x.md": "- eins\n"})
    seen = memory.read("x.md").digest
    assert seen == fingerprint(b"- eins\n")
    assert memory.write("x.md", "- zwei\n", expect=seen).status == "done"
    with pytest.raises(ConflictError):
        memory.write("y.md", "- a\n", expect="0" * 64)
    assert memory.write("y.md", "- a\n", expect="").status == "done"


def test_rename_and_delete_are_kept_in_the_history(make: Make, text: Text) -> None:
    memory = make(files={"facts/nian.md": "# 年\n\n- 一\n", "facts/b.md": "- b\n"})
    done = memory.rename("facts/nian.md", "facts/年.md", actor="nian")
    assert (done.message, text("facts/年.md")) == ("facts/nian.md 已改名为 facts/年.md", "# 年\n\n- 一\n")
    with pytest.raises(TargetError, match=r"^facts/b.md 已经存在$"):
        memory.rename("facts/年.md", "facts/b.md")
    with pytest.raises(TargetError, match="文件不存在"):
        memory.rename("facts/nian.md", "facts/c.md")
    gone = memory.delete("facts/年.md", actor="nian")
    assert gone.message == "已删除 facts/年.md"
    assert gone.hint == "`mdmem undo` 可以把它找回来；已移到 archive/2026-02.md"
    assert "- 一 [from:: facts/年.md" in text("archive/2026-02.md")
    assert gone.transaction
    assert {one.path: one.after for one in gone.transaction.files}["facts/年.md"] is None
    assert memory.history.undo().status == "done"
    assert text("facts/年.md") == "# 年\n\n- 一\n"


def _named(diff: str, change: str) -> str:
    """Give a diff without the id of its change, which a dry run does not share."""
    return re.sub(rf"change:: {change or '[^]]+'}]", "change]", diff)


COMPOSITE = "# Memory\n\n## Notes\n\n- 2026-02-01: {}\n- 2026-02-02: other\n"
ENTRIES = (
    ("tools of the house\n  pump: in the cellar\n  ladder: in the shed\n  saw: lent to Bo", "ladder: in the shed"),
    ("家里的工具\n  水泵：在地下室\n  梯子：在棚里\n  锯子：借给小波了", "梯子：在棚里"),
    ("keys\n  gate: Ann\n  mill: Bo", "gate: Ann"),
)


@pytest.mark.parametrize("door", ["replace", "memory_replace"])
@pytest.mark.parametrize(("entry", "part"), ENTRIES)
def test_the_reply_names_the_lines_that_went(make: Make, entry: str, part: str, door: str) -> None:
    work = make("en", {"MEMORY.md": COMPOSITE.format(entry)})
    new = f"{part} today"
    if door == "replace":
        told = work.replace("MEMORY.md", part, new).hint
    else:
        told = str(work.call(door, {"path": "MEMORY.md", "entry": part, "content": new}))
    gone = [line.strip() for line in entry.split("\n") if line.strip() != part]
    assert all(line in told for line in gone)


def test_a_text_that_keeps_all_lines_says_nothing_more(make: Make) -> None:
    work = make("en", {"MEMORY.md": COMPOSITE.format("keys\n  gate: Ann\n  mill: Bo")})
    done = work.replace("MEMORY.md", "gate: Ann", "2026-02-01: keys, gate: Ann, mill: Bo")
    assert "went with" not in done.hint or "keys" in done.hint


def test_an_entry_of_one_line_is_replaced_without_a_word(make: Make) -> None:
    work = make("en", {"MEMORY.md": COMPOSITE.format("keys")})
    assert "went with" not in work.replace("MEMORY.md", "keys", "2026-02-01: the keys hang at the gate").hint
