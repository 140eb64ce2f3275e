"""Lines end where CommonMark says, with and without carriage returns."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from mdmem.text.spans import LINE_END, Lines


@given(text=some.text("a b\n\t\x0c\u2028", max_size=40) | some.text("a \r\n", max_size=40))
def test_lines_are_what_lies_between_the_line_endings(text: str) -> None:
    lines, expected = Lines(text), LINE_END.split(text)
    assert [lines.text(line) for line in range(len(expected))] == expected
    assert "".join(text[lines.full(line).start : lines.full(line).end] for line in range(len(expected))) == text
    assert lines.longest == max(map(len, expected))


@given(text=some.text("a \t\n", max_size=20))
def test_the_last_filled_line_is_the_last_one_with_a_word(text: str) -> None:
    lines = Lines(text)
    filled = [line for line in range(len(lines)) if not lines.is_blank(line)]
    assert lines.last_filled(0, len(lines) - 1) == (filled[-1] if filled else 0)
