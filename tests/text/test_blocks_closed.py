"""A fence is closed by a line of its own, wherever the Markdown begins."""

from __future__ import annotations

import pytest

from mdmem.text.document import parse


@pytest.mark.parametrize("top", ["", "---\nkind: x\n---\n", "\ufeff"])
@pytest.mark.parametrize(
    ("body", "closed"), [("```\nx\n```\n", True), ("```\nx\n", False), ("```\n", False), ("```", False)]
)
def test_closed_means_a_closing_line(top: str, body: str, closed: bool) -> None:
    assert [block.closed for block in parse(f"{top}{body}".encode()).fences] == [closed]
