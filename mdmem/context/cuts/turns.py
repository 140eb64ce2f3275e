"""Keep the newest turns of a chat, of a long one its beginning; the start moves on by whole steps."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, whole_steps
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take the last turn first, each from its beginning; what must stay comes before all others."""
    turns = tuple(sorted(items, key=lambda index: (not items[index].kept, -items[index].group, index)))
    found = Order(turns, sum(items[index].kept for index in turns))
    return found._replace(stops=whole_steps(items, found, shape.step))
