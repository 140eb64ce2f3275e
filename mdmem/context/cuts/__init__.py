"""The ways to cut: each puts items in the order in which they find room; those that find none are cut.

Every order begins with the rules and corrections, which so stay longest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mdmem.context.cuts import around, fair, head, head_tail, newest, top, turns
from mdmem.context.cuts.order import Order, Shape
from mdmem.context.material import Item
from mdmem.core.record import NamedTuple


class Cut(NamedTuple):
    """A way to cut, and where it marks that something is missing."""

    order: Callable[[Mapping[int, Item], Shape], Order]
    marker: str  # of the recipes' table of markers
    where: str = "gap"  # gap: once, where the first item is missing; end: once, behind all; each: behind every group


CUTS = {
    "head": Cut(head.order, "cut"),
    "head-tail": Cut(head_tail.order, "cut"),
    "fair": Cut(fair.order, "more", where="each"),
    "newest": Cut(newest.order, "earlier"),
    "turns": Cut(turns.order, "older"),
    "around": Cut(around.order, "more"),
    "top": Cut(top.order, "more", where="end"),
}
