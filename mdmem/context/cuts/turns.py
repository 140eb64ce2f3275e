"""The newest turns of a chat, whole; of one that is too long its beginning. The start moves on by whole steps."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take the last turn first, each from its beginning; what must stay before all others."""
    found = tuple(sorted(items, key=lambda index: (not items[index].kept, -items[index].group, index)))
    kept = sum(items[index].kept for index in found)
    # a stop is where a round ends whose number begins a step
    rounds = [items[index].line for index in found]
    stops = [
        number
        for number, (here, older) in enumerate(zip(rounds, [*rounds[1:], None], strict=False), 1)
        if number <= kept or (here != older and not here % shape.step)
    ]
    return Order(found, kept, (0, *stops, len(found)) if shape.step > 1 else ())
