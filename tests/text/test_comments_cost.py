"""Openings of comments without a close cost linear time."""

from __future__ import annotations

import pytest

from mdmem.text.document import parse


@pytest.mark.thorough
def test_many_openings_are_one_unclosed_comment() -> None:
    assert len(parse(b"<!--\n" * 200_000).comments) == 1  # would take minutes if each were searched to the end
