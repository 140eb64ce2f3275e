"""As much of every section: the one that has shown least so far is next, with its newest entry (B1 row 2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mdmem.context.cuts.order import Order, Shape
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:
    """Take turns between the sections; where all must be visible, each first shows what its share has room for."""
    sections: dict[int, list[int]] = {}
    for index in reversed(list(items)):
        sections.setdefault(items[index].group, []).append(index)
    first = list(_one_each(items, sections, shape.room)) if shape.visible else []
    kept = tuple(_in_turn(items, sections, (i for i, item in items.items() if item.kept and i not in first)))
    rest = _in_turn(items, sections, (i for i, item in items.items() if not item.kept and i not in first))
    return Order((*first, *kept, *rest), len(first) + len(kept))


def _one_each(items: Mapping[int, Item], sections: Mapping[int, list[int]], room: int | None) -> Iterator[int]:
    """Choose for each section the rule, else the newest entry, that its share has room for."""
    share = room // len(sections) if room is not None and sections else None
    for group in sorted(sections):
        fitting = [index for index in sections[group] if share is None or len(items[index].text) <= share]
        yield from sorted(fitting, key=lambda index: (not items[index].kept, -index))[:1]


def _in_turn(items: Mapping[int, Item], sections: Mapping[int, list[int]], wanted: Iterable[int]) -> Iterator[int]:
    left = set(wanted)
    queues = {group: [index for index in own if index in left] for group, own in sorted(sections.items())}
    taken = dict.fromkeys(queues, 0)
    while open_ := [group for group, queue in queues.items() if queue]:
        group = min(open_, key=lambda one: (taken[one], one))
        index = queues[group].pop(0)
        taken[group] += len(items[index].text)
        yield index
