"""What the cuts share: an order of items, where it may end, and what a cut is told."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mdmem.context.material import Item
from mdmem.core.record import NamedTuple


class Shape(NamedTuple):
    """What a cut is told."""

    step: int = 1  # places by which a beginning moves on
    head: float = 0.7  # shares of the text that its beginning and its end get
    tail: float = 0.2
    room: int | None = None  # characters there are; None: not known
    visible: bool = False  # fair: every section shows something before the rules take the rest


class Order(NamedTuple):
    """Items in the order in which they find room."""

    items: tuple[int, ...]
    kept: int = 0  # how many of them, from the beginning, must stay before all others
    stops: tuple[int, ...] = ()  # how many of them may be shown; empty: any number


def kept_first(items: Mapping[int, Item], rest: Iterable[int], stops: tuple[int, ...] = ()) -> Order:
    """Put the rules before the others, each in the order of the source and of the cut."""
    kept = tuple(index for index, item in items.items() if item.kept)
    return Order((*kept, *(index for index in rest if not items[index].kept)), len(kept), stops)


def whole_steps(items: Mapping[int, Item], order: Order, step: int) -> tuple[int, ...]:
    """Return how many items may be shown if what is not kept leaves in blocks of `step` places.

    The blocks are counted from the beginning of the source, so that they do not depend on what was shown before.
    """
    if step == 1:
        return ()
    blocks = [(items[index].part, items[index].place // step) for index in order.items]
    ends = (n for n, (one, after) in enumerate(zip(blocks, [*blocks[1:], None], strict=False), 1) if one != after)
    return tuple(dict.fromkeys((*range(order.kept + 1), *(n for n in ends if n > order.kept))))
