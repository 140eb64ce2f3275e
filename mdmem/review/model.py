"""The types of a review. Pure."""

from __future__ import annotations

from typing import NamedTuple


class ReviewLine(NamedTuple):
    """A sentence of a session that belongs in MEMORY.md."""

    text: str  # word for word
    section: str  # an alias of the section where it belongs
    source: str  # chat:SESSION#round
    importance: float
