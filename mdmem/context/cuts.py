"""What the cuts share: an order of items, where it may end, and what a cut is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mdmem.context.model import MaterialItem
from mdmem.formats.limits import shares


class CutOptions(NamedTuple):
    """What a cut is told."""

    step: int = 1  # places by which a beginning moves on
    head: float = 0.7  # shares of the text that its beginning and its end get
    tail: float = 0.2
    room: int | None = None  # characters there are; None: not known
    visible: bool = False  # fair: every section shows something before the rules take the rest


class CutOrder(NamedTuple):
    """Items in the order in which they find room."""

    items: tuple[int, ...]
    kept: int = 0  # how many of them, from the beginning, must stay before all others
    stops: tuple[int, ...] = ()  # how many of them may be shown; empty: any number


def kept_first(items: Mapping[int, MaterialItem], rest: Iterable[int], stops: tuple[int, ...] = ()) -> CutOrder:
    """Put the rules before the others, each in the order of the source and of the cut."""
    kept = tuple(index for index, item in items.items() if item.kept)
    return CutOrder((*kept, *(index for index in rest if not items[index].kept)), len(kept), stops)


def whole_steps(items: Mapping[int, MaterialItem], order: CutOrder, step: int) -> tuple[int, ...]:
    """Return how many items may be shown if what is not kept leaves in blocks of `step` places.

    The blocks are counted from the beginning of the source, so that they do not depend on what was shown before.
    """
    if step == 1:
        return ()
    blocks = [(items[index].part, items[index].place // step) for index in order.items]
    ends = (n for n, (one, after) in enumerate(zip(blocks, [*blocks[1:], None], strict=False), 1) if one != after)
    return tuple(dict.fromkeys((*range(order.kept + 1), *(n for n in ends if n > order.kept))))


def order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:
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
    return CutOrder((focus, *rest), kept, tuple(stops) if shape.step > 1 else ())


def fair_order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:
    """Take turns between the sections; where all must be visible, begin with one entry of each."""
    sections: dict[int, list[int]] = {}
    for index in reversed(list(items)):
        sections.setdefault(items[index].group, []).append(index)
    first = _one_each(items, sections, shape.room) if shape.visible else []
    kept = tuple(_in_turn(items, sections, (i for i, item in items.items() if item.kept and i not in first)))
    rest = _in_turn(items, sections, (i for i, item in items.items() if not item.kept and i not in first))
    return CutOrder((*first, *kept, *rest), len(first) + len(kept))


def _one_each(items: Mapping[int, MaterialItem], sections: Mapping[int, list[int]], room: int | None) -> list[int]:
    """Choose an entry of each section: a rule, else the newest, that fits its share; else the shortest one.

    The chosen entries are sorted by length, so that as many sections as possible find room.
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


def head_order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:  # noqa: ARG001 - every cut is asked alike
    """Take the items as they stand."""
    return kept_first(items, items)


def head_tail_order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:
    """Take from both ends, always from the one that is further behind its share."""
    return kept_first(items, _both_ends(items, shape))


def _both_ends(items: Mapping[int, MaterialItem], shape: CutOptions) -> Iterator[int]:
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


def newest_order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:
    """Take the items from the end."""
    found = kept_first(items, reversed(list(items)))
    return found._replace(stops=whole_steps(items, found, shape.step))


def importance_order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:  # noqa: ARG001 - every cut is asked alike
    """Take the items by what they are worth."""
    return kept_first(items, sorted(items, key=lambda index: (-items[index].worth, -index)))


def turns_order(items: Mapping[int, MaterialItem], shape: CutOptions) -> CutOrder:
    """Take the last turn first, each from its beginning; what must stay comes before all others."""
    turns = tuple(sorted(items, key=lambda index: (not items[index].kept, -items[index].group, index)))
    found = CutOrder(turns, sum(items[index].kept for index in turns))
    return found._replace(stops=whole_steps(items, found, shape.step))


class Cut(NamedTuple):
    """A way to cut, and where it marks that something is missing."""

    order: Callable[[Mapping[int, MaterialItem], CutOptions], CutOrder]
    marker: str  # of the recipes' table of markers
    where: str = "gap"  # gap: once, where the first item is missing; end: once, behind all; each: behind every group


CUTS = {
    "head": Cut(head_order, "cut"),
    "head-tail": Cut(head_tail_order, "cut"),
    "fair": Cut(fair_order, "more", where="each"),
    "newest": Cut(newest_order, "earlier"),
    "turns": Cut(turns_order, "older"),
    "around": Cut(order, "more"),
    "top": Cut(importance_order, "more", where="end"),
}
