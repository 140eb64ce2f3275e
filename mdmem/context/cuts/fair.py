"""Cut every section alike: the one that has shown least so far is next, with its newest entry (B1 row 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mdmem.context.cuts.order import Order, Shape
from mdmem.context.material import Item
from mdmem.core.share import shares


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take turns between the sections; where all must be visible, begin with one entry of each."""
    sections: dict[int, list[int]] = {}
    for index in reversed(list(items)):
        sections.setdefault(items[index].group, []).append(index)
    first = _one_each(items, sections, shape.room) if shape.visible else []
    kept = tuple(_in_turn(items, sections, (i for i, item in items.items() if item.kept and i not in first)))
    rest = _in_turn(items, sections, (i for i, item in items.items() if not item.kept and i not in first))
    return Order((*first, *kept, *rest), len(first) + len(kept))


def _one_each(items: Mapping[int, Item], sections: Mapping[int, list[int]], room: int | None) -> list[int]:
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


def _in_turn(items: Mapping[int, Item], sections: Mapping[int, list[int]], wanted: Iterable[int]) -> Iterator[int]:
    left = set(wanted)
    queues = {group: [index for index in own if index in left] for group, own in sorted(sections.items())}
    taken = dict.fromkeys(queues, 0)
    while open_ := [group for group, queue in queues.items() if queue]:
        group = min(open_, key=lambda one: (taken[one], one))
        index = queues[group].pop(0)
        taken[group] += len(items[index].text)
        yield index
