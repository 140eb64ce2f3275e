"""Cut around the item in focus: it comes first, then its neighbours, block by block of `step` items."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take the item in focus and the groups without steps, then the blocks of the others by their distance.

    While the focus moves within a block, the items shown stay the same. Without a focus the cut is `head`.
    """
    focus = next((index for index, item in items.items() if item.focus), None)
    if focus is None:
        return kept_first(items, items)
    listed = items[focus].group
    here = focus // shape.step

    def distance(index: int) -> tuple[bool, bool, float, int]:
        item = items[index]
        if item.group != listed:
            return not item.kept, False, 0, index
        away = index // shape.step - here
        # what comes next matters more than what is done
        return not item.kept, True, away if away >= 0 else -1.5 * away, index

    rest = sorted((index for index in items if index != focus), key=distance)
    kept = 1 + sum(items[index].kept for index in rest)
    blocks = [(items[index].group == listed, index // shape.step) for index in rest]
    ends = (n for n, (one, after) in enumerate(zip(blocks, [*blocks[1:], None], strict=False), 2) if one != after)
    stops = dict.fromkeys((*range(kept + 1), *(n for n in ends if n > kept)))
    return Order((focus, *rest), kept, tuple(stops) if shape.step > 1 else ())
