"""Sessions as text: every text reads back unchanged, and no text can pass for another turn."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest
from conftest import SHARED
from hypothesis import example, given
from hypothesis import strategies as st

from mdmem.formats.session import escape, read_session, rounds, turns_in, unescape
from mdmem.formats.session_edits import session_text, turn_text
from mdmem.formats.template import Template
from mdmem.formats.template_reader import read_template
from mdmem.text.document import Document, parse
from mdmem.text.yaml.yaml_source import read_yaml, scalar

ROOT = Path(__file__).parents[2]
TEMPLATES = {
    lang: read_template((ROOT / f"templates/{lang}/session.md").read_bytes(), "session.md", lang)
    for lang in ("zh", "en")
}

_PIECES = (
    "### 1 user 10:00", "### 2 用户 21:30", "### 12 a b 2026-02-13 21:30:05+01:00",
    "## Turns", "## 对话", "## [Turns]:", "# x", "## Response", "### x", "#### deep", "#",
    "```", "````", "~~~", "````verbatim", "`````verbatim", "<!--", "-->", "<!-- x -->", "<script>", "<pre>", "<b>",
    "---", "===", "- a", "> q", "    code", "\\", "\\\\", "\\# x", "\\### 1 user 10:00", "plain", "中文",
    "\r", "\n", "\n\n", "\r\n", "\0", "\u2028", "\ufeff", "\u200b", "\x0c", " ", "\t", "`", "| a | b |\n|---|---|",
)  # fmt: skip
SAMPLES = sorted((SHARED / "samples/react_agent").rglob(".sessions/*.md"))
CHARACTERS = st.characters(exclude_categories=["Cs"])
texts = st.one_of(
    st.text(CHARACTERS, max_size=60),
    st.lists(st.sampled_from(_PIECES), max_size=12).map("\n".join),
    st.lists(st.sampled_from(_PIECES), max_size=12).map("".join),
)
langs = st.sampled_from(("zh", "en"))


@given(st.lists(texts, min_size=1, max_size=5), langs)
@example(["# a\n---"], "zh")
@example(["\r", "\n", "", "\\"], "zh")
def test_the_text_of_a_turn_reads_back(said: list[str], lang: str) -> None:
    """Whatever the texts of the turns hold, each is read back exactly, and there are no more and no fewer."""
    template = TEMPLATES[lang]
    text = session_text(template, "20260220_100000", {}, said[0].strip("\r\n"))
    for index, one in enumerate(said):
        text += turn_text(index + 1, "Nian Nian", "10:00", one, template)
    session = read_session(Document(text.encode()), "sessions/x.md", TEMPLATES["en"])
    assert [turn.text for turn in session.turns] == said
    assert [text[turn.start :].startswith(f"### {turn.number} Nian Nian 10:00\n") for turn in session.turns]
    assert [turn.line for turn in session.turns] == [Document(text.encode()).lines.at(t.start) for t in session.turns]
    assert session.request == said[0].strip("\r\n")


@given(st.lists(texts, min_size=1, max_size=4), langs)
def test_markdown_sees_the_same_turns(said: list[str], lang: str) -> None:
    """No text of a turn opens a section, or hides a following one."""
    template = TEMPLATES[lang]
    text = session_text(template, "20260220_100000", {}, "") + "".join(
        turn_text(1, "user", "10:00", one, template) for one in said
    )
    levels = [section.level for section in parse(text.encode()).sections if section.level <= 3]
    assert levels == [1, 2, 2, 2, 2, 2, *[3] * len(said)]
    assert not parse(text.encode()).comments


@given(texts, langs)
@example("````verbatim\nx\n````", "en")
@example("````verbatim\n```\n````", "en")
def test_escape_is_taken_back(text: str, lang: str) -> None:
    """`unescape` reverses `escape`."""
    assert unescape(escape(text, TEMPLATES[lang])) == text


@pytest.mark.parametrize("text", [
    "Just a sentence.", "- one\n- two\n\n1. three", "```python\n# a comment\nx = 1\n```", "#### Deeper\n\ntext",
    "#tag and a < b, x -> y", "a\n\n---\n\nb", "| a | b |\n|---|---|\n| 1 | 2 |", "> # quoted",
])  # fmt: skip
def test_ordinary_text_is_not_escaped(text: str) -> None:
    """What needs no escape gets none."""
    assert escape(text, TEMPLATES["en"]) == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("## Result\n\nfine", "\\## Result\n\nfine"),
        ("### 1 user 10:00", "\\### 1 user 10:00"),
        ("Title\n===", "Title\n\\==="),
        ("```\n### 1 user 10:00\n```", "```\n\\### 1 user 10:00\n```"),
        ("```\nopen", "````verbatim\n```\nopen\n````"),
        ("a <!-- hidden -->", "````verbatim\na <!-- hidden -->\n````"),
    ],
)
def test_escape_is_small(text: str, written: str) -> None:
    """A heading gets a backslash; what would swallow or hide gets a fence."""
    assert escape(text, TEMPLATES["en"]) == written


def test_roles() -> None:
    """Known words name the role; with free names, the first speaker of a round is the user."""
    text = "".join(
        f"### {heading} 10:00\n\nx\n\n"
        for heading in ("1 念念", "1 小满", "1 工具", "1 念念", "2 assistant", "2 Bob", "3 主人", "3 System")
    )
    turns = tuple(turns_in(text, TEMPLATES["zh"]))
    assert [turn.role for turn in turns] == [
        "user", "assistant", "tool", "user", "assistant", "assistant", "user", "system",
    ]  # fmt: skip
    assert [len(one) for one in rounds(turns)] == [4, 2, 2]


@pytest.mark.parametrize("path", sorted((ROOT / "workspace/sessions").glob("*.md")), ids=lambda path: path.stem)
@pytest.mark.parametrize("template", TEMPLATES.values(), ids=TEMPLATES)
def test_the_example_is_read(path: Path, template: Template) -> None:
    """The living example's sessions are read by either language's template."""
    session = read_session(parse(path.read_bytes()), f"sessions/{path.name}", template)
    assert (session.id, session.agent, session.extracted_through) == (path.stem, "xiaoman", len(rounds(session.turns)))
    assert session.request
    assert session.response
    said = [role for role, _ in groupby(turn.role for turn in session.turns if turn.role != "tool")]
    assert said == ["user", "assistant"] * len(rounds(session.turns))


_AGENT = """# Session: react_agent

## 任务信息
- **开始时间**: 2025-09-08 04:24:09
- **结束时间**: 2025-09-08 04:24:19
- **状态**: completed
- **Agent**: react_agent

## 任务描述
```

        处理消息
        步骤一
```

## 执行结果
```
完成：
```
四
```
```

## 记忆文件
- world_state.md
"""
_MODEL = """# Session: 2025-09-08_calc_simple_math

## 任务信息
- 时间: 2025-09-08 04:43:52
- Agent: a

## 问题描述
2+2？

## 解决方案
### 答案
4

## 执行过程
- 轮数: 1
"""
_SEED = """# Session: 20250105_103000

## Request
Make it.

## Response
Done.

## Metadata
- Duration: 15.3s
- Rounds: 2
"""
_OLD = {
    "2025-09-08_042419_reply": (
        _AGENT,
        ("react_agent", "处理消息", "2025-09-08 04:24:09", "2025-09-08 04:24:19", "success"),
        ("处理消息\n步骤一", "完成：\n```\n四\n```"),
    ),
    "2025-09-08_calc_simple_math": (_MODEL, ("a", "2+2？", "2025-09-08 04:43:52", "", ""), ("2+2？", "### 答案\n4")),
    "20250105_103000_task1": (_SEED, ("", "Make it.", "2025-01-05 10:30", "", ""), ("Make it.", "Done.")),
}


@pytest.mark.parametrize("stem", _OLD)
def test_older_dialects_are_read(stem: str) -> None:
    """The three dialects of `.sessions/` (C6)."""
    text, head, parts = _OLD[stem]
    session = read_session(parse(text.encode()), f".sessions/{stem}.md", TEMPLATES["zh"])
    assert (session.agent, session.task, session.started, session.ended, session.outcome) == head
    assert (session.request, session.response) == parts
    assert session.turns == ()


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_real_sessions_of_another_program_are_read(path: Path) -> None:
    """Files of other programs are read with speakers, times and outcome, and without losing a word."""
    session = read_session(parse(path.read_bytes()), f".sessions/{path.name}", TEMPLATES["en"])
    assert session.agent
    assert session.started.startswith("2025-09-0")
    assert session.task
    assert session.request
    assert session.response
    words = "".join((session.request + session.response).split())
    assert words in "".join(path.read_text("utf-8").split()) or session.response in path.read_text("utf-8")


@given(st.text(CHARACTERS, max_size=40))
@example("true")
@example("a: b # c")
@example("- x")
def test_a_scalar_reads_back(text: str) -> None:
    """A value of the front matter is the text that was passed."""
    root, problems = read_yaml(f"key: {scalar(text)}\n")
    assert not problems
    assert root is not None
    assert root.plain() == {"key": text or None}
