"""Keep the newest entries, which stand last; the beginning moves on by whole steps, so that it mostly stays."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first, whole_steps
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take the items from the end."""
    found = kept_first(items, reversed(list(items)))
    return found._replace(stops=whole_steps(items, found, shape.step))
