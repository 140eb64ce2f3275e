"""What is too large, or no memory, is not looked into (how work grows with the size: `tests/test_growth.py`)."""

from __future__ import annotations

import pytest
from conftest import Lint

from mdmem.text.document import parse


def test_a_file_of_too_many_lines_is_only_checked_for_safety(lint: Lint) -> None:
    text = "- a\n  b\n" * 100
    assert any(d.code.startswith("MM3") for d in lint(text, "FASTMEMO.md", max_lines=200))
    assert not any(d.code.startswith("MM3") for d in lint(text, "FASTMEMO.md", max_lines=199))


@pytest.mark.slow
@pytest.mark.parametrize("text", ["\ufeff" + "- a\n" * 400_000 + "- a", "- a" * 500_000], ids=["lines", "line"])
def test_nobody_parses_what_is_no_memory(lint: Lint, text: str) -> None:
    document = parse(text.encode())
    found = lint(document, "FASTMEMO.md")
    assert {d.code for d in found} & {"MM116", "MM120"}, "nobody is told"
    assert not any(d.code.startswith(("MM2", "MM3", "MM4")) for d in found)
    assert "blocks" not in vars(document)


def test_nobody_looks_into_what_was_not_read(lint: Lint) -> None:
    document = parse(b"- a\n" * 600_000)
    found = lint(document, "FASTMEMO.md")
    assert not any(d.code.startswith(("MM2", "MM3", "MM4", "MM5")) for d in found)
    assert "blocks" not in vars(document)
