"""Sections and comments of long hostile lines, and what a title is."""

from __future__ import annotations

import pytest

from mdmem.text.document import parse


@pytest.mark.thorough
@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 300_000 + "b",
        "[a]: b" + " " * 300_000 + "b",
        "<!--" * 300_000,
        "x <!--" * 100_000,
        "# a\n" * 30_000,
    ],
    ids=["heading of spaces", "bracket of spaces", "comments never closed", "comments in a paragraph", "headings"],
)
def test_sections_and_comments_are_linear(text: str) -> None:
    document = parse(text.encode())
    assert document.sections is not None
    assert document.comments is not None  # either would take minutes if it looked back for each line


@pytest.mark.parametrize(
    ("line", "title"),
    [("## a ##", "a"), ("## a##", "a##"), ("##  a  \t", "a"), ("## a # b #", "a # b"), ("## #", ""), ("##", "")],
)
def test_a_closing_run_of_hashes_is_no_part_of_the_title(line: str, title: str) -> None:
    (section,) = parse(line.encode()).sections
    assert section.title == section.title_span.of(line) == title
