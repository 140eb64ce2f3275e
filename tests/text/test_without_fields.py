"""What a text quotes is no field of the entry that it becomes."""

from __future__ import annotations

import pytest

from mdmem.text.entry import read_entry, without_fields


@pytest.mark.parametrize(("text", "plain"), [
    ("see [rounds:: 3-4] there", "see (rounds: 3-4) there"),
    ("[a:: b] and [c:: [[d]]]", "(a: b) and (c: [[d]])"),
    ("std::vector and `[a:: b]`", "std::vector and `[a:: b]`"),
    ("nothing", "nothing"),
])  # fmt: skip
def test_a_field_becomes_words(text: str, plain: str) -> None:
    assert without_fields(text) == plain
    assert not read_entry(plain).fields
