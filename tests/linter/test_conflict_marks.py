"""Marks of a merge conflict are found in each style of git, of each length, and where only some of them are left."""

from __future__ import annotations

import pytest

from mdmem.linter.detect.conflicts import conflicts
from mdmem.text.document import parse

MERGE = "<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs"
DIFF3 = "<<<<<<< ours\n- a\n||||||| base\n- c\n=======\n- b\n>>>>>>> theirs"
NESTED = DIFF3.replace("- c", "<<<<<<<<< one\n- d\n=========\n- e\n>>>>>>>>> two")
LONG = DIFF3.replace("<" * 7, "<" * 12).replace("|" * 7, "|" * 12).replace("=" * 7, "=" * 12).replace(">" * 7, ">" * 12)


@pytest.mark.parametrize("text", [MERGE, DIFF3, NESTED, LONG])
def test_a_conflict_is_one_finding(text: str) -> None:
    document = parse(f"# T\n\n{text}\n- f\n\n{text}\n".encode())
    assert [span.of(document.text) for span in conflicts(document)] == [text, text]


@pytest.mark.parametrize("mark", ["<<<<<<< ours", "||||||| base", "||||||| 1a2b3c4"])
def test_a_mark_that_is_left_is_found(mark: str) -> None:
    document = parse(f"# T\n\n- a\n{mark}\n- b\n".encode())
    assert [span.of(document.text) for span in conflicts(document)] == [mark]


@pytest.mark.parametrize(
    "text",
    [
        "Title\n=======",
        "||||||| x |\n|-|-|-|-|-|-|-|-|",
        ">>>>>>>>> deep",
        "```\n<<<<<<< ours\n||||||| base\n```",
        "<<<<<<<ours",
    ],
)
def test_what_is_no_mark(text: str) -> None:
    assert list(conflicts(parse(f"{text}\n".encode()))) == []
