"""Which units of two versions are the same, or one changed: by their text, their name, their words, their place.

Equal units that are unique on both sides come first, as in a patience diff, and then what lies between them. So ten
thousand lines cost no more than sorting them, whatever they hold.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import pairwise

from mdmem.core.merge.units import Unit
from mdmem.core.similarity import tokens

Pair = tuple[int, int]
_MOST = 40_000  # comparisons within one gap; beyond, its units count as removed and added
_ALIKE = 0.5  # share of common words from which one unit may have become the other


def align(base: Sequence[Unit], other: Sequence[Unit]) -> dict[int, int]:
    """Pair units of two versions, in order: index in the base → index in the other."""
    pairs = equal([unit.text for unit in base], [unit.text for unit in other])
    for one in (_name, _words):
        pairs += [pair for gap in gaps(pairs, base, other) for pair in _among(gap, base, other, one)]
        pairs.sort()
    pairs += [pair for gap in gaps(pairs, base, other) for pair in _by_place(gap, base, other)]
    return dict(sorted(pairs))


def equal(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[Pair]:
    """Pair what is equal, in order; None pairs with nothing."""
    found: list[Pair] = []
    todo = [(0, len(ours), 0, len(theirs))]
    while todo:
        low, high, start, stop = todo.pop()
        while low < high and start < stop and _same(ours[low], theirs[start]):
            found.append((low, start))
            low, start = low + 1, start + 1
        while low < high and start < stop and _same(ours[high - 1], theirs[stop - 1]):
            high, stop = high - 1, stop - 1
            found.append((high, stop))
        if low == high or start == stop:
            continue
        anchors = _unique(ours[low:high], theirs[start:stop])
        if anchors:
            places = [(low + one, start + two) for one, two in anchors]
            found += places
            edges = [(low - 1, start - 1), *places, (high, stop)]
            todo += [(a + 1, c, b + 1, d) for (a, b), (c, d) in pairwise(edges)]
        elif (high - low) * (stop - start) <= _MOST:
            found += [(low + one, start + two) for one, two in _longest(ours[low:high], theirs[start:stop])]
    return sorted(found)


def gaps(pairs: Sequence[Pair], base: Sequence[Unit], other: Sequence[Unit]) -> Iterator[tuple[range, range]]:
    """Give what lies between pairs."""
    edges = [(-1, -1), *pairs, (len(base), len(other))]
    for (low, start), (high, stop) in pairwise(edges):
        if high - low > 1 and stop - start > 1:
            yield range(low + 1, high), range(start + 1, stop)


def _same(one: Hashable, other: Hashable) -> bool:
    return one is not None and one == other


def _unique(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[Pair]:
    """Pair the keys that each side has once, the longest run of them that is in order."""
    once, twice = Counter(ours), Counter(theirs)
    place = {key: index for index, key in enumerate(theirs)}
    pairs = [
        (index, place[key])
        for index, key in enumerate(ours)
        if key is not None and once[key] == 1 and twice.get(key) == 1
    ]
    tails: list[int] = []  # the least last place of a run of each length
    ends: list[int] = []  # which pair that is
    before: list[int] = []
    for index, (_, at) in enumerate(pairs):
        length = bisect_left(tails, at)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [at]
        ends[length : length + 1] = [index]
    run: list[Pair] = []
    index = ends[-1] if ends else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _longest(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[Pair]:
    from difflib import SequenceMatcher  # only where a gap holds nothing unique

    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    found = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    return [(one, two) for one, two in found if ours[one] is not None]


def _name(unit: Unit) -> Hashable:
    return (unit.kind, unit.name) if unit.name else None


def _words(unit: Unit) -> Hashable:
    return (unit.kind, unit.words) if unit.words else None


def _among(
    gap: tuple[range, range], base: Sequence[Unit], other: Sequence[Unit], key: Callable[[Unit], Hashable]
) -> list[Pair]:
    mine, yours = ([key(units[at]) for at in places] for units, places in zip((base, other), gap, strict=True))
    return [(gap[0][one], gap[1][two]) for one, two in equal(mine, yours)]


def _by_place(gap: tuple[range, range], base: Sequence[Unit], other: Sequence[Unit]) -> Iterator[Pair]:
    """Pair what may have been changed: as many as there were of each kind, by their order; else those alike."""
    mine, yours = ([at for at in places if _may(units[at])] for units, places in zip((base, other), gap, strict=True))
    if [base[at].kind for at in mine] == [other[at].kind for at in yours]:
        yield from (pair for pair in zip(mine, yours, strict=True) if _fits(base[pair[0]], other[pair[1]]))
        return
    if len(mine) * len(yours) > _MOST:
        return
    start = 0
    for one in mine:
        for place in range(start, len(yours)):
            if _fits(base[one], other[yours[place]]) and _alike(base[one], other[yours[place]]):
                yield one, yours[place]
                start = place + 1
                break


def _may(unit: Unit) -> bool:
    return unit.kind != "blank"


def _fits(one: Unit, other: Unit) -> bool:
    """Tell whether one may have become the other: of one kind, and not of two names."""
    return one.kind == other.kind and (not one.name or not other.name or one.name == other.name)


def _alike(one: Unit, other: Unit) -> bool:
    mine, yours = tokens(one.text), tokens(other.text)
    return len(mine & yours) >= _ALIKE * max(1, min(len(mine), len(yours)))
