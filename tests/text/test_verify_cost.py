"""The proof of a change with many edits in a file of many entries."""

from __future__ import annotations

import pytest

from mdmem.text.document import parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.verify import verify


@pytest.mark.thorough
@pytest.mark.slow
def test_many_edits_among_many_entries_are_proved_in_linear_time() -> None:
    before = parse(b"- one\r\n- two\n" * 3_000)
    ends = [index for index, char in enumerate(before.text) if char == "\r"]
    edits = [Edit.replace(at, at + 2, "\n") for at in ends]
    after = parse(apply_edits(before.text, edits).encode())
    assert verify(before, edits, after) == ()  # would take minutes if each entry looked at each edit


def test_an_entry_that_is_swallowed_below_many_edits_is_seen() -> None:
    before = parse(b"- x\n\npara\n\n- a\n- b\n")
    edits = [Edit.replace(2, 3, "yy"), Edit.insert(before.text.index("para"), "```\n")]
    after = parse(apply_edits(before.text, edits).encode())
    assert len(verify(before, edits, after)) >= 2
