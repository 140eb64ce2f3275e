"""The newest entries, which stand last; the beginning moves on by whole steps, so that it mostly stays where it was."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take from the end."""
    found = kept_first(items, reversed(list(items)))
    if shape.step == 1:
        return found
    whole = (n for n, index in enumerate(found.items, 1) if n <= found.kept or not index % shape.step)
    return found._replace(stops=(0, *whole, len(found.items)))
