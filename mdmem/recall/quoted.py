"""Rank rows that hold the quotations of a question before those that hold only its words."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.words import Phrase
from mdmem.recall.row import Found


def quoted_first(found: Sequence[Found], phrases: Sequence[Phrase]) -> tuple[Found, ...]:
    """Order rows by how many of the phrases they hold, then by score; unchanged if no row holds any."""
    held = [sum(phrase.within(one.row.text) for phrase in phrases) for one in found]
    most = max(held, default=0)
    if not most:
        return tuple(found)
    scored = (
        one._replace(score=round((count + one.score) / (most + 1), 6)) for one, count in zip(found, held, strict=True)
    )
    return tuple(sorted(scored, key=lambda one: -one.score))
