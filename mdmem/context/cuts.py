"""The cuts of a view: each returns the order in which items are shown as long as they fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mdmem.context.model import MaterialItem
from mdmem.formats.limits import shares


class CutOptions(NamedTuple):
    """The options of a cut."""

    step: int = 1  # block size by which the beginning of what is shown moves on
    head: float = 0.7  # share of the room for the beginning of the text
    tail: float = 0.2  # share of the room for its end
    room: int | None = None  # in characters; None if unknown
    visible: bool = False  # for `fair`: show one entry of every section before the rules


class CutOrder(NamedTuple):
    """The order in which items are shown as long as they fit."""

    items: tuple[int, ...]
    kept: int = 0  # how many items at the beginning come before all others
    stops: tuple[int, ...] = ()  # the numbers of items that may be shown; empty for any number


def kept_first(items: Mapping[int, MaterialItem], rest: Iterable[int], stops: tuple[int, ...] = ()) -> CutOrder:
    """Return an order with the rules first, in the order of the source, then the rest in the order of the cut."""
    kept = tuple(index for index, item in items.items() if item.kept)
    return CutOrder((*kept, *(index for index in rest if not items[index].kept)), len(kept), stops)


def whole_steps(items: Mapping[int, MaterialItem], order: CutOrder, step: int) -> tuple[int, ...]:
    """Return how many items may be shown if items that are not kept are dropped in blocks of `step` positions.

    Blocks are counted from the beginning of the source, so they do not depend on what was shown before.
    """
    if step == 1:
        return ()
    blocks = [(items[index].part, items[index].position // step) for index in order.items]
    ends = (n for n, (one, after) in enumerate(zip(blocks, [*blocks[1:], None], strict=False), 1) if one != after)
    return tuple(dict.fromkeys((*range(order.kept + 1), *(n for n in ends if n > order.kept))))


def order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:
    """Return the item in focus, the groups without steps, then blocks of the other items by their distance.

    While the focus moves within a block, the same items are shown. Without a focus, return `head_order`.
    """
    focus = next((index for index, item in items.items() if item.focus), None)
    if focus is None:
        return kept_first(items, items)
    listed = items[focus].group
    here = focus // options.step

    def distance(index: int) -> tuple[bool, bool, float, int]:
        item = items[index]
        if item.group != listed:
            return not item.kept, False, 0, index
        ahead = index // options.step - here
        # following steps are more important than earlier ones
        return not item.kept, True, ahead if ahead >= 0 else -1.5 * ahead, index

    rest = sorted((index for index in items if index != focus), key=distance)
    kept = 1 + sum(items[index].kept for index in rest)
    blocks = [(items[index].group == listed, index // options.step) for index in rest]
    ends = (n for n, (one, after) in enumerate(zip(blocks, [*blocks[1:], None], strict=False), 2) if one != after)
    stops = dict.fromkeys((*range(kept + 1), *(n for n in ends if n > kept)))
    return CutOrder((focus, *rest), kept, tuple(stops) if options.step > 1 else ())


def fair_order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:
    """Return items of all sections in turn; if all sections must be visible, one entry of each comes first."""
    sections: dict[int, list[int]] = {}
    for index in reversed(list(items)):
        sections.setdefault(items[index].group, []).append(index)
    first = _one_each(items, sections, options.room) if options.visible else []
    kept = tuple(_in_turn(items, sections, (i for i, item in items.items() if item.kept and i not in first)))
    rest = _in_turn(items, sections, (i for i, item in items.items() if not item.kept and i not in first))
    return CutOrder((*first, *kept, *rest), len(first) + len(kept))


def _one_each(items: Mapping[int, MaterialItem], sections: Mapping[int, list[int]], room: int | None) -> list[int]:
    """Return one entry of each section: a rule or else the newest that fits the share, or else the shortest.

    The entries are sorted by length, so that as many sections as possible are shown.
    """
    preferred = {
        group: sorted(own, key=lambda index: (not items[index].kept, -index)) for group, own in sections.items()
    }
    wants = [len(items[own[0]].text) for own in preferred.values()]
    share = max(wants if room is None else shares(room, wants, [0] * len(wants)), default=0)
    chosen = []
    for own in preferred.values():
        fitting = (index for index in own if len(items[index].text) <= share)
        chosen.append(next(fitting, min(own, key=lambda index: (len(items[index].text), -index))))
    return sorted(chosen, key=lambda index: (len(items[index].text), index))


def _in_turn(
    items: Mapping[int, MaterialItem], sections: Mapping[int, list[int]], wanted: Iterable[int]
) -> Iterator[int]:
    left = set(wanted)
    queues = {group: [index for index in own if index in left] for group, own in sorted(sections.items())}
    taken = dict.fromkeys(queues, 0)
    while open_ := [group for group, queue in queues.items() if queue]:
        group = min(open_, key=lambda one: (taken[one], one))
        index = queues[group].pop(0)
        taken[group] += len(items[index].text)
        yield index


def head_order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:  # noqa: ARG001 - the signature of a cut
    """Return the items in the order of the source."""
    return kept_first(items, items)


def head_tail_order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:
    """Return items from both ends, always from the end that is further below its share."""
    return kept_first(items, _both_ends(items, options))


def _both_ends(items: Mapping[int, MaterialItem], options: CutOptions) -> Iterator[int]:
    indexes = list(items)
    first, last = 0, len(indexes) - 1
    head = tail = 0
    while first <= last:
        # head / options.head <= tail / options.tail, without dividing by zero
        if head * options.tail <= tail * options.head:
            head += len(items[indexes[first]].text)
            yield indexes[first]
            first += 1
        else:
            tail += len(items[indexes[last]].text)
            yield indexes[last]
            last -= 1


def newest_order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:
    """Return the items from the end."""
    found = kept_first(items, reversed(list(items)))
    return found._replace(stops=whole_steps(items, found, options.step))


def importance_order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:  # noqa: ARG001 - the signature of a cut
    """Return the items by importance, the most important first."""
    return kept_first(items, sorted(items, key=lambda index: (-items[index].importance, -index)))


def turns_order(items: Mapping[int, MaterialItem], options: CutOptions) -> CutOrder:
    """Return kept items first, then the turns from the last one, each from its beginning."""
    turns = tuple(sorted(items, key=lambda index: (not items[index].kept, -items[index].group, index)))
    found = CutOrder(turns, sum(items[index].kept for index in turns))
    return found._replace(stops=whole_steps(items, found, options.step))


class Cut(NamedTuple):
    """A cut, and where it marks that items are missing."""

    order: Callable[[Mapping[int, MaterialItem], CutOptions], CutOrder]
    marker: str  # a key of the markers in the recipes
    where: str = "gap"  # gap: once at the first missing item; end: once at the end; each: after every group


CUTS = {
    "head": Cut(head_order, "cut"),
    "head-tail": Cut(head_tail_order, "cut"),
    "fair": Cut(fair_order, "more", where="each"),
    "newest": Cut(newest_order, "earlier"),
    "turns": Cut(turns_order, "older"),
    "around": Cut(order, "more"),
    "top": Cut(importance_order, "more", where="end"),
}
