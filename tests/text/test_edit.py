"""Edits: the bytes they name and no other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis import strategies as st

from mdmem.errors import EditError
from mdmem.text.edit import Edit, apply_edits, ordered
from mdmem.text.spans import LINE_END, Lines, Span


def test_edits_apply_from_last_to_first() -> None:
    edits = [Edit.replace(0, 1, "AA"), Edit.delete(Span(1, 2)), Edit.insert(3, "!"), Edit.replace(3, 4, "D")]
    assert apply_edits("abcd", edits) == apply_edits("abcd", edits[::-1]) == "AAc!D"


def test_insertions_at_one_place_keep_their_order() -> None:
    edits = [
        Edit.insert(1, "1"),
        Edit.insert(1, "2"),
        Edit.replace(1, 2, "x"),
        Edit.insert(2, "3"),
        Edit.insert(2, "4"),
    ]
    assert apply_edits("abc", edits) == "a12x34c"


@pytest.mark.parametrize(
    "edits",
    [
        [Edit.replace(0, 2, "x"), Edit.replace(1, 3, "y")],
        [Edit.replace(0, 3, "x"), Edit.insert(1, "y")],
        [Edit.replace(0, 2, "x"), Edit.replace(0, 2, "x")],
        [Edit.delete(Span(0, 3)), Edit.delete(Span(1, 2))],
        [Edit.replace(2, 1, "x")],
        [Edit.replace(-1, 1, "x")],
        [Edit.replace(0, 5, "x")],
        [Edit.insert(5, "x")],
    ],
)
def test_what_is_refused(edits: list[Edit]) -> None:
    with pytest.raises(EditError):
        apply_edits("abcd", edits)


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(alphabet="ab\n记🧠", max_size=30))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=10)))
    spans = [Span(start, end) for start, end in zip(cuts[::2], cuts[1::2], strict=False)]
    edits = [Edit(span, draw(st.text(alphabet="xy\n", max_size=4))) for span in spans]
    return text, draw(st.permutations(edits)) if len(set(spans)) == len(spans) else edits


@given(texts_with_edits())
def test_nothing_else_changes(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    after = apply_edits(text, edits)
    done = ordered(edits)
    at = new = 0
    for edit in done:
        kept = text[at : edit.span.start]
        assert after[new : new + len(kept) + len(edit.new)] == kept + edit.new
        at, new = edit.span.end, new + len(kept) + len(edit.new)
    assert after[new:] == text[at:]


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
