"""The span of an entry's own text, also if the parser finds none."""

from __future__ import annotations

import pytest

from mdmem.text.document import parse


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
