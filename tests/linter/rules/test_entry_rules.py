"""The rules of entries beyond their pages: tables of dates, references and markers, and fixes on any text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from conftest import SHARED, Lint
from hypothesis import given
from hypothesis import strategies as st

from mdmem.linter.detect.relative_dates import relative
from mdmem.linter.fixes import Fixed, fix_document
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic

FIXING = ("MM301", "MM303", "MM304", "MM317")


def codes(found: list[Diagnostic]) -> list[str]:
    return [d.code for d in found if d.code.startswith("MM3")]


def fixed(lint: Lint, text: str, path: str, *only: str) -> Fixed:
    def entries_only(document: Document) -> list[Diagnostic]:
        return [d for d in lint(document, path) if d.code.startswith("MM3") and (not only or d.code in only)]

    return fix_document(parse(text.encode("utf-8", "surrogateescape")), entries_only)


# Relative dates


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("提醒主人明天交周报", "明天"),
        ("今天主人很累", "今天"),
        ("昨晚没睡好", "昨晚"),
        ("下周交周报", "下周"),
        ("上周五面试", "上周五"),
        ("下个月搬家", "下个月"),
        ("这周末爬山", "这周末"),
        ("周五有面试", "周五"),
        ("星期天去看妈妈", "星期天"),
        ("后天出差", "后天"),
        ("去年换了工作", "去年"),
        ("remind them tomorrow", "tomorrow"),
        ("Today the build broke", "Today"),
        ("the review is next week", "next week"),
        ("met Bob last Friday", "last Friday"),
        ("the talk is on Friday", "on Friday"),
        ("moved two months ago", "two months ago"),
        ("明日は会議", "明日"),
        ("来週までに返事", "来週"),
        ("先月引っ越した", "先月"),
        ("金曜日に面接がある", "金曜日"),
    ],
)
def test_relative_dates(text: str, words: str) -> None:
    span = relative(text)
    assert span is not None
    assert span.of(text) == words


@pytest.mark.parametrize(
    "text",
    [
        "每周五交周报",
        "每天早上问今天的天气",
        "主人一周一次去游泳",
        "周一到周五上班",
        "主人周末喜欢爬山",
        "日常用品放在门口",
        "主人常说「今天天气不错」",
        "喜欢《明天会更好》这首歌",
        "在玩明日方舟",
        "说明天数要写清楚",
        "如今天气转凉",
        "失去年轻时的热情",
        "以前天天跑步",
        "以后天气好再去",
        "后天习得的能力",
        "以下周期性任务",
        "来月经时不舒服",
        "说明日期的格式",
        "every Friday: the report",
        "usually works on Monday",
        "prefers meetings on Friday",
        "reads todayilearned",
        "the last name is Li",
        "reads USA Today",
        "毎週金曜日に掃除する",
        "第三季度的目标",
        "三天两头出差",
    ],
)
def test_what_is_no_relative_date(text: str) -> None:
    assert relative(text) is None


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("- 2026-02-13：明天面试", "MEMORY.md"),
        ("- 明天面试（2026-02-13）", "MEMORY.md"),
        ("- 明天面试 [created:: 2026-02-13]", "MEMORY.md"),
        ("## 2026-02-13\n\n- 明天面试", "MEMORY.md"),
        ("## 2026年2月\n\n### 第二周\n\n- 明天面试", "MEMORY.md"),
        ("- 2月13日说好明天面试", "MEMORY.md"),
        ("- Feb 13: tomorrow is the interview", "MEMORY.md"),
        ("- 明天面试\n", "AGENTS.md"),
    ],
)
def test_a_date_to_count_from(lint: Lint, text: str, path: str) -> None:
    assert not {"MM308", "MM310"} & set(codes(lint(text, path)))


@pytest.mark.parametrize("day", ["2026-02-30", "2026/13/01", "2025年2月29日", "2026年13月1日", "1999-04-31"])
def test_impossible_dates(lint: Lint, day: str) -> None:
    assert "MM309" in codes(lint(f"- {day}：面试", "MEMORY.md"))


@pytest.mark.parametrize(
    ("line", "is_found"),
    [
        ("2026-02-22：住在里斯本 [predicate:: 住址]", True),
        ("9999-12-31：住在里斯本 [predicate:: 住址]", True),
        ("2026-02-21：住在里斯本 [predicate:: 住址]", False),
        ("2026-02-20：护照 2030-01-01 到期 [predicate:: 护照有效期]", False),
        ("住在里斯本 [predicate:: 住址]", False),
    ],
)
def test_a_fact_is_not_dated_in_the_future(lint: Lint, line: str, is_found: bool) -> None:
    text = f"# x\n\n## 现在\n\n- {line}\n\n## 以前\n"
    assert ("MM322" in codes(lint(text, "facts/x.md"))) is is_found
    assert "MM322" not in codes(lint(f"## 重要事件\n\n- {line}\n", "MEMORY.md"))


@pytest.mark.parametrize(
    "text",
    ["2024-02-29", "2024.13.1", "192.168.1.300", "3/4/5", "0000-99-99", "10-20-30", "`2026-02-30`", "2026-02-13T25:00"],
)
def test_what_is_no_impossible_date(lint: Lint, text: str) -> None:
    assert "MM309" not in codes(lint(f"- 记下 {text} 这个值", "MEMORY.md"))


# References never leave the workspace


@pytest.mark.parametrize(
    ("reference", "asked"),
    [
        ("[source:: file:src/x.py#L3]", {"src/x.py", "notes/src/x.py", "archive/src/x.py"}),
        ("[source:: file:../src/x.py#L3-L9]", {"src/x.py", "archive/src/x.py"}),
        ("[source:: tool:42]", {"artifacts/42.md", "notes/artifacts/42.md", "archive/artifacts/42.md"}),
        ("[artifact:: artifacts/x.md]", {"artifacts/x.md", "notes/artifacts/x.md", "archive/artifacts/x.md"}),
        (
            "[[USER#^k7]]",
            {"USER", "USER.md", "notes/USER", "notes/USER.md", "archive/USER", "archive/USER.md"},
        ),
        ("[source:: file:/etc/passwd]", set()),
        ("[source:: file:../../etc/passwd]", set()),
        ("[source:: tool:../../../etc/passwd]", set()),
        ("[source:: file:~/.ssh/id_rsa]", set()),
        (r"[source:: file:C:\secret.txt]", set()),
        (r"[source:: file:\\host\share]", set()),
        ("[source:: https://example.com/x.md]", set()),
        ("[source:: chat:42]", set()),
        ("`[source:: file:src/x.py]`", set()),
    ],
)
def test_only_files_of_the_workspace_are_looked_for(lint: Lint, reference: str, asked: set[str]) -> None:
    seen: set[str] = set()

    def exists(path: str) -> bool:
        seen.add(path)
        return False

    found = lint(f"- 2026-02-13：{reference}\n", "notes/MEMORY.md", exists=exists)
    assert (seen, "MM315" in codes(found)) == (asked, bool(asked))


# Fixes


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- a\n  b", "- a b"),
        ("- 甲\n  乙", "- 甲乙"),
        ("- 한국\n  말", "- 한국 말"),
        ("- a\r\n  b\r\n- c\r\n", "- a b\r\n- c\r\n"),
        ("- D:\\code\\\n  文件夹", "- D:\\code\\ 文件夹"),
        ("- a\n  2. b\n  [ ] c\n  • d\n", "- a\n2. b\n- [ ] c\n- d\n"),
        ("1. a\n2. b\n3. c", "- a\n- b\n- c"),
        ("13. Februar", "13. Februar"),
        ("2026. 2. 13. 회의", "2026. 2. 13. 회의"),
        ("- - a", "- a"),
        ("- - a\n  - b", "- - a\n  - b"),
        ("- * a", "- a"),
        ("- a\n-\n- b", "- a\n- b"),
        ("- a\n-\nb", "- a\n\n- b"),
        ("-\n  - a", "-\n  - a"),
        ("- a\n\n  b", "- a\n\n  b"),
        ("- a\n\n  ```\n  x\n  ```", "- a\n\n  ```\n  x\n  ```"),
        ("甲\n乙", "- 甲乙"),
        ("甲\n[x] 乙\n2. 丙", "甲\n[x] 乙\n2. 丙"),
        ("> 甲\n\n_b_\n\n<!-- c -->\n\n|a|\n|-|\n\n---", "> 甲\n\n_b_\n\n<!-- c -->\n\n|a|\n|-|\n\n---"),
        ("•甲\n· 乙\n– c", "- 甲\n- 乙\n- c"),
        ("*甲*\n*乙*", "*甲*\n*乙*"),
        ("–5 度\n", "- –5 度\n"),
    ],
)
def test_what_a_fix_makes_of_it(lint: Lint, before: str, after: str) -> None:
    head = "## 自我感知\n\n"
    assert fixed(lint, head + before, "FASTMEMO.md").document.text == head + after


def test_generated_text_is_left_alone(lint: Lint) -> None:
    text = "## 自我感知\n\n<!-- mdmem:auto x -->\n\n生成的文字\n\n<!-- /mdmem:auto -->\n"
    assert codes(lint(text, "FASTMEMO.md")) == []


def test_a_record_may_hold_what_was_said(lint: Lint) -> None:
    fence = "```\n" + "输出\n" * 30 + "```\n"
    assert "MM307" not in codes(lint(f"# Session\n\n## 回应\n\n{fence}", "sessions/20260213_213000_x.md"))
    assert "MM307" in codes(lint(f"## 笔记\n\n{fence}", "MEMORY.md"))


def test_how_large_an_example_in_json_may_be_is_a_setting(lint: Lint) -> None:
    text = '## 笔记\n\n- {"a": 1, "b": 2, "c": 3, "d": 4}\n'
    assert "MM307" in codes(lint(text, "MEMORY.md"))
    assert "MM307" not in codes(lint(text, "MEMORY.md", max_json_keys=4))


def test_old_format_keeps_each_line_a_memory(lint: Lint) -> None:
    before = "[用户感知]：近期\n- 偏好高效\n[历史感知]\n- 2026-01-20 启动\n普通段落\n1. 编号条目\n[ ] 待办\n"
    done = fix_document(parse(before.encode()), lambda document: lint(document, "FASTMEMO.md")).document
    told = {section.title: [entry.text for entry in section.entries] for section in done.sections}
    assert (told["用户感知"], told["历史感知"]) == (
        ["偏好高效"],
        ["2026-01-20 启动", "普通段落", "编号条目", "[ ] 待办"],
    )


LINE = st.one_of(
    st.sampled_from(
        ["", "-", "- ", "- a", "* b", "+ c", "1. d", "2) e", "- [ ] f", "- - g", "  h", "    i", "\tj", "  - k", "•l",
         "– m", "-甲", "乙丙", "[自我]", "[x]: y", "## 自我感知", "# T", "```", "> q", "<!-- c -->", "<b>", "===",
         "---", "|a|b|", "|---|---|", "- ```", "13. n", "  2. o", "_p_", "（待填写）", "- 2026-02-30 ^id", "*", "1.",
         "\\", "- x\\", "  [ ] r", "- * - s", "\u3000", "[a]", "- [a]:", "  ===", "\x0c", "* * t"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
)  # fmt: skip
TEXT = st.builds(
    lambda head, lines, ending: head + ending.join(lines),
    st.sampled_from(["## 自我感知\n", "[自我]\n", ""]),
    st.lists(LINE, max_size=14),
    st.sampled_from(["\n", "\r\n", "\r"]),
)


@given(text=TEXT)
def test_fixes_converge(lint: Lint, text: str) -> None:
    once = fixed(lint, text, "FASTMEMO.md")
    twice = fixed(lint, once.document.text, "FASTMEMO.md")
    assert twice.document.text == once.document.text


@pytest.mark.slow
@pytest.mark.parametrize("code", FIXING)
@given(text=TEXT)
def test_each_applied_fix_ends_its_finding(lint: Lint, code: str, text: str) -> None:
    before = [d for d in lint(parse(text.encode()), "FASTMEMO.md") if d.code == code]
    after = fixed(lint, text, "FASTMEMO.md", code)
    assert after.applied < 100, "the rounds ran out: a fix leaves what it should mend"
    # what remains fixable is what the proof refuses, as where a list would swallow the code below it
    assert fixed(lint, after.document.text, "FASTMEMO.md", code).applied == 0
    assert after.applied or len(after.remaining) == len(before)


@given(text=TEXT)
def test_fixes_keep_every_word(lint: Lint, text: str) -> None:
    after = fixed(lint, text, "FASTMEMO.md").document.text
    assert _words(after) == _words(text)


def _words(text: str) -> str:
    """Give a text without what a fix may touch: spaces, markers, counting numbers, empty checkboxes."""
    kept = re.sub(
        r"(?m)^[ \t]*(?:(?:[-*+•·‣▪◦●○–—]|\d{1,9}[.)])[ \t]*)*(?:\[[ xX]\][ \t]*$)?", "", text.replace("\r", "\n")
    )
    return re.sub(r"[\s]|[-*+•·–]|\d+[.)]|\[[ xX]\]", "", kept)


@pytest.mark.skipif(not SHARED.is_dir(), reason="real files are not here")
def test_a_filled_memory_gets_a_friendly_word(lint: Lint) -> None:
    text = Path(SHARED / "samples/petgpt/MEMORY.filled.md").read_bytes()
    assert [(d.line, d.code) for d in lint(text, "MEMORY.md") if d.code.startswith("MM3")] == [
        (15, "MM308"),
        (22, "MM310"),
    ]


@pytest.mark.parametrize("path", ["MEMORY.md", "FASTMEMO.md", "memory/2026-02-13.md"])
@pytest.mark.parametrize(("value", "found"), [("10x", ["MM312"]), ("soon", ["MM312"]), ("7d", []), ("2 weeks", [])])
def test_a_time_to_live_that_cannot_be_read_is_told_in_any_memory(
    value: str, found: list[str], path: str, lint: Lint
) -> None:
    text = f"# Memory\n\n## Notes\n\n- 2026-02-13: the key rotates [ttl:: {value}]\n"
    assert [one.code for one in lint(text, path) if one.code == "MM312"] == found


@pytest.mark.parametrize(("path", "severity"), [("MEMORY.md", "warning"), ("memory/2026-02-13.md", "note")])
def test_a_code_block_is_a_warning_where_it_takes_room_in_every_prompt(path: str, severity: str, lint: Lint) -> None:
    text = "# D\n\n## Notes\n\n```sh\n" + "make\n" * 30 + "```\n"
    assert [one.severity for one in lint(text, path) if one.code == "MM307"] == [severity]
    log = "".join(f"2026-02-13 10:00:0{n} ERROR worker-{n} refused\n" for n in range(4))
    assert [one.severity for one in lint(f"# D\n\n## Notes\n\n{log}", path) if one.code == "MM307"] == ["warning"]


def test_outside_of_a_memory_a_field_is_text(lint: Lint) -> None:
    assert [one.code for one in lint("# DNS\n\n- www [ttl:: 300]\n", "docs/dns.md") if one.code == "MM312"] == []


@pytest.mark.parametrize(("fields", "is_found"), [("[fact:: facts/x.md#f1] [since:: 2026-02-10]", True), ("", False)])
def test_a_correction_that_waits_is_a_finding(lint: Lint, fields: str, is_found: bool) -> None:
    text = f"# 收件箱\n\n## 等你点头的\n\n- [ ] MEMORY.md 里有一行 [to:: MEMORY.md] [by:: user] {fields}\n"
    assert ("MM323" in codes(lint(text, "inbox.md"))) is is_found


@pytest.mark.parametrize("path", ["MEMORY.md", "FASTMEMO.md", "daily/2026-02-13.md"])
@pytest.mark.parametrize(
    ("line", "after"),
    [
        ("- [y] buy milk", None),
        ("- [✓] buy milk", None),
        ("- [] buy milk", "- [ ] buy milk"),
        ("- [  ] buy milk", "- [ ] buy milk"),
        ("- [ x] buy milk", "- [x] buy milk"),
        ("- [X ] 买牛奶", "- [x] 买牛奶"),
        ("－ 买牛奶", "- 买牛奶"),
        ("－　买牛奶", "- 买牛奶"),
    ],
)
def test_what_is_almost_a_marker_or_a_checkbox_is_told(line: str, after: str | None, path: str, lint: Lint) -> None:
    head = "## User\n\n" if path == "FASTMEMO.md" else "# 2026-02-13\n\n"
    result = fixed(lint, f"{head}{line}\n", path, "MM303")
    assert result.document.text == f"{head}{after or line}\n"
    assert bool(result.remaining) is (after is None)


@pytest.mark.parametrize(
    "line",
    ["- [x] done", "- [ ] open", "- [/] half", "- [-] dropped", "- [>] moved", "- [y](https://example.org)",
     "- [y]: no box", "- [yes] we go", "- []", "1 － 2 is −1", "- 2026-02-13: a － b", "> － quoted"],
)  # fmt: skip
def test_what_other_programs_write_in_a_box_is_welcome(line: str, lint: Lint) -> None:
    assert "MM303" not in codes(lint(f"# x\n\n{line}\n", "MEMORY.md"))


@pytest.mark.parametrize(
    ("line", "is_told"),
    [
        ("-2026-02-14: tea with Ann", True),
        ("-文字", True),
        ("  -明天开会", True),
        ("-5 degrees", False),
        ("-v is an option", False),
        ("-2026 was a year", False),
        ("--文字", False),
        ("—文字", False),
        ("- 文字", False),
        ("`-文字`", False),
    ],
)
def test_a_dash_without_a_blank_is_no_entry(line: str, is_told: bool, lint: Lint) -> None:
    for above in ("", "- 2026-02-13: an entry\n", "a line of text\n"):
        text = f"# x\n\n## Notes\n\n{above}{line}\n"
        found = [one for one in lint(text, "MEMORY.md") if one.code == "MM303"]
        assert [bool(one.fix) for one in found] == [True] * is_told, above
    assert not [one for one in lint(f"# x\n\n{line}\n", "README.md") if one.code == "MM303"]
