"""The newest entries, which stand last; the beginning moves on by whole steps, so that it mostly stays where it was."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take from the end."""
    found = kept_first(items, reversed(list(items)))
    kept = sum(items[index].kept for index in found)
    whole = [number for number, index in enumerate(found, 1) if number <= kept or not index % shape.step]
    return Order(found, (0, *whole, len(found)) if shape.step > 1 else ())
