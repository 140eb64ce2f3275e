"""Finds how much of a source has room: the longest beginning of the cut's order, and what of the rest still fits."""

from __future__ import annotations

from collections.abc import Callable

from mdmem.context.cuts.order import Order

_TRIES = 12  # items behind the first that found no room which are tried all the same


def fit(order: Order, fits: Callable[[frozenset[int]], bool]) -> frozenset[int] | None:
    """Give the items that are shown; None where there is not even room for none."""
    everything = frozenset(order.items)
    if fits(everything):
        return everything
    if not fits(frozenset()):
        return _alone(order, fits)
    stops = order.stops or tuple(range(len(order.items) + 1))
    most = _longest(order, stops, fits)
    if order.stops:
        # no whole step has room, so a part of one must do
        return frozenset(order.items[: most or _longest(order, tuple(range(len(order.items) + 1)), fits)])
    shown = set(order.items[:most])
    # what is no rule does not take the room of one that is too long for it
    end = order.kept if most < order.kept else len(order.items)
    for item in order.items[most + 1 : min(end, most + 1 + _TRIES)]:
        if fits(frozenset((*shown, item))):
            shown.add(item)
    return frozenset(shown)


def _longest(order: Order, stops: tuple[int, ...], fits: Callable[[frozenset[int]], bool]) -> int:
    low, high = 0, len(stops) - 1  # stops[low] fits
    while low < high:
        middle = (low + high + 1) // 2
        if fits(frozenset(order.items[: stops[middle]])):
            low = middle
        else:
            high = middle - 1
    return stops[low]


def _alone(order: Order, fits: Callable[[frozenset[int]], bool]) -> frozenset[int] | None:
    """A mark may need more room than the item that it stands for: try a single one."""
    return next((one for item in order.items[:1] if fits(one := frozenset((item,)))), None)
