"""No verb fails by a hostile file (how its work grows with the size: `tests/test_growth.py`)."""

from __future__ import annotations

import pytest
from conftest import Make

pytestmark = pytest.mark.usefixtures("cache")


@pytest.mark.parametrize("text", ["`" * 400, "(((\n" * 50, "- …\n- …\n"], ids=["backticks", "brackets", "dots"])
def test_a_memory_without_a_word_is_searched(make: Make, text: str) -> None:
    assert make("en", {"MEMORY.md": text}).search("tea") == ()


def test_a_file_of_too_many_lines_is_found_and_packed_as_far_as_it_is_read(make: Make) -> None:
    lines = "".join(f"- walked {number} rounds\n" for number in range(300))
    work = make("en", {"FASTMEMO.md": f"# Memory\n\n## Self\n\n{lines}"}, settings="[lint]\nmax_lines = 100\n")
    assert any("walked 290 rounds" in hit.text for hit in work.search("walked 290 rounds"))
    packed = work.pack("chat")
    assert "walked 95 rounds" in packed.text
    assert "walked 290 rounds" not in packed.text
    assert any((left.path, left.line) == ("FASTMEMO.md", 101) for left in packed.left)
