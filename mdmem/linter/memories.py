"""The entries that are memories of their own: what duplicates and dates are looked for in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mdmem.core.placeholders import is_label, is_placeholder
from mdmem.core.record import NamedTuple
from mdmem.core.similarity import rough

if TYPE_CHECKING:
    from mdmem.linter.rule import Item


class Memory(NamedTuple):
    """An entry that must be like no other, and what it says without date, tags, fields and id."""

    item: Item
    text: str
    rough: str  # equal in two that say the same


def memories(items: tuple[Item, ...]) -> Iterator[Memory]:
    """Give the outermost entries whose section wants each memory once; details below an entry belong to it."""
    for item in items:
        if item.rule.unique and not item.entry.depth:
            text = item.parts.body.of(item.entry.text).strip()
            if text and not is_label(text) and not is_placeholder(text):
                yield Memory(item, text, rough(text))
