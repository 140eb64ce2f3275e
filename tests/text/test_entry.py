"""The grammar of an entry's line: a table of what is read, and what holds for any line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inputs import CASES, lines
from invariants import check_parts

from mdmem.text.document import parse
from mdmem.text.entry import read_entry, without_fields


def said(text: str) -> str:
    """Describe what is read, in the words of `cases/entries.md`."""
    parts = read_entry(text)
    words = [] if parts.done is None else ["done" if parts.done else "open"]
    words += ["box"] * (parts.checkbox is not None)
    words += [f"date={parts.date.value or 'impossible'}"] if parts.date else []
    words += [f"mentions={found.value or 'impossible'}" for found in parts.dates if found is not parts.date]
    words += [f"#{tag}" for tag in parts.tags]
    words += [f"{field.key}={field.value}" for field in parts.fields]
    words += [f"^{parts.id}"] if parts.id else []
    words += [f"meta={parts.meta.of(text)}"] if parts.meta else []
    return f"{text} ⇒ {' '.join(words) or '-'} ⇒ {parts.body.of(text)}".replace("\u3000", "␣").rstrip()


def _table() -> list[str]:
    rows = (CASES / "entries.md").read_text("utf-8").splitlines()
    return [row for row in rows if row.count(" ⇒") == 2 and not row.startswith("`TEXT")]


def test_the_table_is_long() -> None:
    assert len(_table()) >= 80


@pytest.mark.parametrize("row", _table())
def test_row(row: str) -> None:
    assert said(row.partition(" ⇒ ")[0].replace("␣", "\u3000")) == row


_WORDS = """
[ ] [x] ✅ 2026-02-13 2026年2月30日 [2026-02-13] ** : ： - #a #面试 #1 [k::v] [k::
[[l]] [l] [[ ]] :: ^id ^ ` `` \\ \\` <!--
--> <!--a--> <b> 09:30 词 word 🧠
"""
_line = st.lists(st.sampled_from([*_WORDS.split(), " ", " ", "\u3000", "\n"]), max_size=12).map("".join)


@given(st.one_of(_line, lines, st.text(max_size=60)))
def test_any_line(text: str) -> None:
    check_parts(text)


@given(_line)
def test_nothing_is_in_two_parts(text: str) -> None:
    """What is no checkbox, date, field, tag, id or comment is body: no word is lost between the parts."""
    parts = read_entry(text)
    named = [span for span in (parts.checkbox, parts.id_span, parts.meta) if span]
    named += [field.span for field in parts.fields] + [found.span for found in parts.dates]
    left = [char for place, char in enumerate(text) if not any(span.start <= place < span.end for span in named)]
    body = parts.body.of(text)
    words = [char for char in left if char.isalpha() and char not in "TZ"]
    assert all(char in body or any(char in tag for tag in parts.tags) for char in words)


def test_a_link_definition_is_text() -> None:
    assert [entry.text for entry in parse("- [偏好]: 简洁\n- [a]:\n  b\n".encode()).entries] == [
        "[偏好]: 简洁",
        "[a]:\n  b",
    ]


def test_a_bracket_section_may_carry_a_note_of_one_word() -> None:
    document = parse("[自我感知]: 近期\n- 冷静\n".encode())
    assert [(section.title, section.note) for section in document.sections] == [("自我感知", "近期")]


@pytest.mark.parametrize("text", ["- - a", "- # a", "- ```\n  a\n  ```", "-"])
def test_an_item_without_text_of_its_own_has_an_empty_span_at_its_marker(text: str) -> None:
    entry = parse(f"x\n\n{text}".encode()).entries[0]
    assert (entry.text, tuple(entry.text_span)) == ("", (4, 4))


@pytest.mark.parametrize(("text", "plain"), [
    ("see [rounds:: 3-4] there", "see (rounds: 3-4) there"),
    ("[a:: b] and [c:: [[d]]]", "(a: b) and (c: [[d]])"),
    ("std::vector and `[a:: b]`", "std::vector and `[a:: b]`"),
    ("nothing", "nothing"),
])  # fmt: skip
def test_a_field_becomes_words(text: str, plain: str) -> None:
    assert without_fields(text) == plain
    assert not read_entry(plain).fields
