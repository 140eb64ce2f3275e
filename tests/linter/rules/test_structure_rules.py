"""Structure beyond the pages: the old formats, every position, every line ending, any order, bounded time."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import SHARED, Lint
from hypothesis import given
from hypothesis import strategies as st

from mdmem.linter.fixes import Fixed, fix_document
from mdmem.text.document import Document, parse

NAMES = ("自我感知", "用户感知", "环境感知", "历史感知", "动态context池")
FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "fastmemo").iterdir())
SAMPLES = sorted((SHARED / "samples" / "aitermux").glob("fastmem*")) if SHARED.exists() else []
OURS = re.compile("MM(2|40)")
WORDS = re.compile(r"\w+")

Mend = Callable[..., Fixed]


@pytest.fixture(scope="module")
def mend(lint: Lint) -> Mend:
    def run(text: str | bytes, path: str = "FASTMEMO.md", only: str = "MM") -> Fixed:
        data = text.encode() if isinstance(text, str) else text
        return fix_document(parse(data), lambda document: [d for d in lint(document, path) if d.code.startswith(only)])

    return run


def codes(lint: Lint, text: str | bytes | Document, path: str = "FASTMEMO.md") -> list[str]:
    return [d.code for d in lint(text, path) if OURS.match(d.code)]


def known(document: Document) -> list[str]:
    return [section.title for section in document.sections if section.title in NAMES]


# the old formats


@pytest.mark.parametrize("path", [*FIXTURES, *SAMPLES], ids=lambda path: path.name)
def test_an_old_text_becomes_headings_and_keeps_every_word(path: Path, mend: Mend, lint: Lint) -> None:
    before = path.read_bytes().decode()
    result = mend(before, "memory/fastmemo.jsonl")
    assert known(result.document) == list(NAMES)
    assert all(section.style == "atx" for section in result.document.sections)
    assert "MM206" not in codes(lint, result.document)
    renamed = {"动态成长人格", "用户感知画像", "人生旅程", "事件感知", "动态上下文"}
    numbers = {"1", "2"}  # of an ordered list: its marker is for the rule of markers
    lost = set(WORDS.findall(before)) - set(WORDS.findall(result.document.text)) - renamed - numbers
    assert lost == set()
    assert mend(result.document.to_bytes()).document.text == result.document.text


def test_every_line_of_the_first_format_is_an_entry(mend: Mend) -> None:
    text = (FIXTURES[0].parent / "v1.jsonl").read_bytes()
    result = mend(text, "memory/fastmemo.jsonl").document
    history = next(section for section in result.sections if section.title == "历史感知")
    assert [entry.text for entry in history.entries] == [
        "2026-01-12 搬到新机器", "旧机器留作备份", "先装好编辑器", "再恢复笔记", "[ ] 核对一遍照片",
    ]  # fmt: skip


def test_sections_without_blank_lines_are_told_apart(mend: Mend) -> None:
    result = mend((FIXTURES[0].parent / "v3_dynctx.jsonl").read_bytes(), "memory/fastmemo.jsonl").document
    assert [[entry.text for entry in section.entries] for section in result.sections if section.level == 2] == [
        ["说话简短，先给结论"], ["主人习惯晚上工作"], ["服务器在柜子上"], [], ["2026-02-17 换了硬盘"],
    ]  # fmt: skip
    assert "\n" not in result.text.replace("\r\n", "")
    assert "> 家里" in result.text


@pytest.mark.parametrize(
    "text",
    [
        "# t\n\n## 自我感知\n\n```\n[用户感知]\n```\n",
        "# t\n\n## 自我感知\n\n<!--\n[用户感知]\n-->\n",
        "# t\n\n## 自我感知\n\n> [用户感知]\n",
        "# t\n\n## 自我感知\n\n- a\n  [用户感知]\n",
        "# t\n\n## 自我感知\n\n[待补充]\n",
        "# t\n\n## 自我感知\n\n- [用户感知]\n",
        "[待补充]\n\n- a\n",
        "# t\n\n[user]: https://example.org\n",
    ],
)
def test_what_is_no_line_of_the_old_format(text: str, lint: Lint) -> None:
    assert "MM206" not in codes(lint, text)


def test_an_open_kind_has_no_old_format(lint: Lint) -> None:
    assert codes(lint, "[笔记]\n\n- 2026-02-13：a\n", "MEMORY.md") == []


# missing sections


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("final", [True, False])
@pytest.mark.parametrize("title", ["# 表层记忆\n\n", ""])
@pytest.mark.parametrize("gap", ["\n", ""])
@pytest.mark.parametrize("missing", range(5))
def test_a_missing_section_comes_to_its_place(
    missing: int, gap: str, title: str, final: bool, ending: str, mend: Mend, lint: Lint
) -> None:
    there = [name for index, name in enumerate(NAMES) if index != missing]
    text = title + gap.join(f"## {name}\n{gap}- 关于{name}\n" for name in there)
    text = (text if final else text.rstrip("\n")).replace("\n", ending)
    result = mend(text, only="MM201").document
    assert known(result) == list(NAMES)
    assert [entry.text for entry in result.entries] == [f"关于{name}" for name in there]
    assert len(result.comments) == 1
    assert "MM201" not in codes(lint, result)
    assert set(re.findall(r"\r\n|\r|\n", result.text)) == {ending}
    assert ending * 3 not in result.text
    new = next(section for section in result.sections if section.title == NAMES[missing])
    line = result.lines.at(new.heading.start)
    assert line == 0 or result.lines.is_blank(line - 1)
    assert result.lines.is_blank(line + 1)


def test_all_sections_come_to_a_file_with_a_title_only(mend: Mend, lint: Lint) -> None:
    result = mend("# 表层记忆\n").document
    assert known(result) == list(NAMES)
    assert codes(lint, result) == []


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff", "---\ntags: [a]\n---\n", "---\ntags: [a]\n---\n\n"])
def test_an_empty_file_is_one_that_nobody_has_begun(text: str, lint: Lint) -> None:
    assert codes(lint, text) == []


@pytest.mark.parametrize("tail", ["```\ncode", "<!-- open", "<script>\nx", "~~~\n```", "<?php"])
def test_nothing_is_put_in_where_it_would_be_swallowed(tail: str, mend: Mend, lint: Lint) -> None:
    text = f"# t\n\n## 自我感知\n\n{tail}"
    assert mend(text, only="MM201").document.text == text
    assert codes(lint, text).count("MM201") == 4
    elsewhere = mend(f"# t\n\n## 用户感知\n\n{tail}", only="MM201").document
    assert known(elsewhere) == list(NAMES[:2])


@pytest.mark.parametrize("tail", ["- ```\n  code", "<!-- closed -->", "<div>\nx", "> ```\n> x", "    code"])
def test_a_section_comes_behind_what_ends_by_itself(tail: str, mend: Mend) -> None:
    assert known(mend(f"# t\n\n## 自我感知\n\n{tail}", only="MM201").document) == list(NAMES)


# order, names and what stands between


def test_the_fewest_moves_are_named(lint: Lint) -> None:
    text = "# t\n\n" + "\n".join(f"## {name}\n" for name in (NAMES[4], *NAMES[:4]))
    assert [d.line for d in lint(text, "FASTMEMO.md") if d.code == "MM204"] == [3]


@pytest.mark.parametrize(
    ("title", "fixed"),
    [
        ("我", "自我感知"),
        ("🧠 人格：", "🧠 自我感知："),
        ("**Self**", "**自我感知**"),
        ("自我 感知", "自我 感知"),
        ("_self_", "_自我感知_"),
    ],
)
def test_an_alias_is_replaced_and_what_stands_around_it_kept(title: str, fixed: str, mend: Mend) -> None:
    document = mend("# t\n\n" + "\n".join(f"## {name}\n" for name in (title, *NAMES[1:])), only="MM205").document
    assert document.sections[1].title == fixed


def test_a_setext_heading_may_have_an_alias(mend: Mend) -> None:
    assert mend("人格\n---\n", only="MM205").document.text == "自我感知\n---\n"


def test_captions_are_no_stray_text(lint: Lint) -> None:
    text = "<!-- c -->\n\n# t\n\n> q\n\n_一句话_\n\n---\n\n" + "\n".join(f"## {name}\n" for name in NAMES)
    assert codes(lint, text) == []
    assert codes(lint, text.replace("_一句话_", "一句话")) == ["MM207"]
    assert codes(lint, "- a\n\n" + text) == ["MM207"]


TITLES = (*NAMES, "Self", "User", "我", "主人", "ctx_pool", "淡化池", "随便")
SECTION = st.tuples(
    st.sampled_from(TITLES),
    st.sampled_from(["## {}", "# {}", "### {}", "[{}]", "[{}]：旁注", "[{}]: note", "{}\n---", "## {} ##"]),
    st.lists(
        st.sampled_from(
            ["- 甲一", "* 乙二", "丙三", "1. 丁四", "  - 戊五", "", "> 己六", "[ ] 庚七", "```", "<!-- 辛 -->"]
        )
    ),
)


@pytest.mark.slow
@given(
    sections=st.lists(SECTION, max_size=7),
    head=st.sampled_from(["", "# 表层记忆\n\n", "fastmemo v2 | max_chars: 1800\n\n", "---\na: b\n---\n", "散落的字\n"]),
    gap=st.sampled_from(["\n", "\n\n"]),
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
)
def test_any_mixture_of_sections_converges(
    mend: Mend, lint: Lint, sections: list[tuple[str, str, list[str]]], head: str, gap: str, ending: str
) -> None:
    text = head + gap.join(gap.join([shape.format(title), *body]) for title, shape, body in sections)
    result = mend(text.replace("\n", ending))
    assert not [d for d in lint(result.document, "FASTMEMO.md") if d.fix]
    assert mend(result.document.to_bytes()).document.text == result.document.text
    for character in "甲乙丙丁戊己庚辛":
        assert result.document.text.count(character) >= min(1, text.count(character))
    assert result.document.text.count("散落的字") == text.count("散落的字")


# signs without a blank


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("##工作\n", "## 工作\n"),
        ("###Work and life\n", "### Work and life\n"),
        ("  ##Notes\n", "  ## Notes\n"),
        ("##🧠 记忆\n", "## 🧠 记忆\n"),
        ("- tea\n##工作\n- oolong\n", "- tea\n## 工作\n- oolong\n"),
        ("a text\n##Notes\n", "a text\n## Notes\n"),
        ("#标签 a tag\n", "#标签 a tag\n"),
        ("##1 of 3\n", "##1 of 3\n"),
        ("#######Seven\n", "#######Seven\n"),
        ("```\n##Notes\n```\n", "```\n##Notes\n```\n"),
        ("<!--\n##Notes\n-->\n", "<!--\n##Notes\n-->\n"),
        ("> ##Notes\n", "> ##Notes\n"),
    ],
)
def test_a_heading_gets_the_blank_that_it_lacks(before: str, after: str, mend: Mend, lint: Lint) -> None:
    head = "# MEMORY\n\n## 重要事件\n\n"
    assert mend(head + before, "MEMORY.md", "MM208").document.text == head + after
    assert codes(lint, head + before, "MEMORY.md").count("MM208") == (before != after)
    assert "MM208" not in codes(lint, head + before, "notes/any.md"), "a note of no kind is a person's own"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-喜欢茶", "- 喜欢茶"),
        ("-likes tea", "- likes tea"),
        ("*likes tea", "- likes tea"),
        ("+likes tea", "- likes tea"),
        ("-[ ] buy tea", "- [ ] buy tea"),
        ("- one\n-two", "- one\n- two"),
        ("- lists with\n  -la", "- lists with -la"),
        ("*tea*", "*tea*"),
        ("-5 degrees", "- -5 degrees"),
        ("+49 228 1", "- +49 228 1"),
    ],
)
def test_a_marker_gets_the_blank_that_it_lacks(before: str, after: str, mend: Mend) -> None:
    head = "## 用户感知\n\n"
    assert mend(f"{head}{before}\n").document.text.partition(head)[2].startswith(f"{after}\n")


@pytest.mark.parametrize(
    ("title", "path", "is_told"),
    [
        ("Preferances", "MEMORY.md", True),
        ("Prefrences and habits", "MEMORY.md", True),
        ("Improtant events", "MEMORY.md", True),
        ("Milestnoes", "MEMORY.md", True),
        ("偏好与习贯", "MEMORY.md", True),
        ("待办与承若", "MEMORY.md", True),
        ("Boundries", "SOUL.md", True),
        ("Working enviroment", "USER.md", True),
        ("References", "MEMORY.md", False),
        ("Preference", "MEMORY.md", True),
        ("Note", "MEMORY.md", True),
        ("Noten", "MEMORY.md", False),
        ("笔计", "MEMORY.md", True),
        ("带办与承诺", "MEMORY.md", True),
        ("笔试", "MEMORY.md", False),
        ("日记", "MEMORY.md", False),
        ("Performance", "MEMORY.md", False),
        ("Nodes", "MEMORY.md", False),
        ("Premises of the lease", "MEMORY.md", False),
        ("重要事项", "MEMORY.md", False),
        ("家里的事", "MEMORY.md", False),
        ("Technique", "USER.md", False),
        ("Character sheet", "SOUL.md", False),
        ("2026-02-13", "daily/2026-02-13.md", False),
    ],
)
def test_a_misspelt_section_of_an_open_file_is_a_note(title: str, path: str, is_told: bool, lint: Lint) -> None:
    found = [one for one in lint(f"# x\n\n## {title}\n\n- 2026-02-13: an entry\n", path) if one.code == "MM202"]
    assert [one.severity for one in found] == ["note"] * is_told


def test_a_section_that_sounds_alike_is_told_below_another_one(lint: Lint) -> None:
    text = "# x\n\n## 待办与承诺\n\n- 2026-02-13：写周报\n\n### {}\n\n- 2026-02-13：看书\n"
    assert "MM202" in codes(lint, text.format("笔计"), "MEMORY.md")
    assert "MM202" not in codes(lint, text.format("笔友"), "MEMORY.md")
    assert "MM202" not in codes(lint, text.replace("待办与承诺", "笔记").format("笔计"), "MEMORY.md")


def test_a_section_that_is_there_is_not_misspelt_elsewhere(lint: Lint) -> None:
    text = "# x\n\n## Preferances\n\n## Preferences\n\n- 2026-02-13: an entry\n"
    assert "MM202" not in codes(lint, text, "MEMORY.md")


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("# x\n\n### Notes\n", True),
        ("### Notes\n", True),
        ("# x\n\n## Important events\n\n### Notes\n", True),
        ("# x\n\n## A house\n\n### Notes\n", False),
        ("# x\n\n## Notes\n\n### Notes\n", False),
        ("# x\n\n## Notes\n\n### Misc\n", False),
        ("# x\n\n### misc\n", False),
    ],
)
def test_a_section_of_an_open_file_that_is_too_deep_is_a_note(text: str, is_told: bool, lint: Lint) -> None:
    found = [one for one in lint(text, "MEMORY.md") if one.code == "MM204"]
    assert [(one.severity, "`## Notes`" in one.hint) for one in found] == [("note", True)] * is_told
