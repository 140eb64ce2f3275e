"""Keep the lines of a part that were made from facts within a number of tokens: the faded ones leave first. Pure."""

from __future__ import annotations

from collections import Counter

from mdmem.context.model import OmittedItem
from mdmem.context.pack import CachedTokenCounter, PartSource

FADED = "faded"  # why a line is left out


def within(source: PartSource, tokens: int, count: CachedTokenCounter) -> PartSource:
    """Return the source with so many tokens of generated lines at most.

    The portrait puts the best facts of a section first, so the last lines of the sections leave first.
    """
    material = source.material
    places: list[tuple[int, int]] = []
    seen: Counter[int] = Counter()
    for index, item in enumerate(material.items):
        if item.repeats:
            places.append((seen[item.group], index))
            seen[item.group] += 1
    gone: set[int] = set()
    for _, index in sorted(places):
        tokens -= count(material.items[index].text + "\n")
        if tokens < 0:
            gone.add(index)
    if not gone:
        return source
    kept = [index for index in range(len(material.items)) if index not in gone]
    left = (OmittedItem(material.path_of(item), item.line, item.source_text, FADED)
            for index, item in enumerate(material.items) if index in gone)  # fmt: skip
    new = {old: number for number, old in enumerate(kept)}
    wanted = None if source.wanted is None else frozenset(new[one] for one in source.wanted if one in new)
    items = tuple(material.items[index] for index in kept)
    return source._replace(material=material._replace(items=items, left=(*material.left, *left)), wanted=wanted)
