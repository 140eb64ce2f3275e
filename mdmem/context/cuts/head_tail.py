"""The beginning and the end, in the proportion asked for: 70 % and 20 % of a memory file (P028, X5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take from both ends, always from the one that is further behind its share."""
    return kept_first(items, _both_ends(items, shape))


def _both_ends(items: Mapping[int, Item], shape: Shape) -> Iterator[int]:
    indexes = list(items)
    first, last = 0, len(indexes) - 1
    head = tail = 0
    while first <= last:
        # head / shape.head <= tail / shape.tail, without dividing by a share of nothing
        if head * shape.tail <= tail * shape.head:
            head += len(items[indexes[first]].text)
            yield indexes[first]
            first += 1
        else:
            tail += len(items[indexes[last]].text)
            yield indexes[last]
            last -= 1
