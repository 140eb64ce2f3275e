"""What a merge moves about: a file as a sequence of entries, keys of front matter, closed blocks, and single lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from mdmem.text.document import Document
from mdmem.text.pattern import pattern
from mdmem.text.similarity import tokens
from mdmem.text.spans import LINE_END

_KEY = pattern(r"([^\s#:'\"-][^:]*):(?:\s|\Z)")
_WHOLE = frozenset(("fence", "code", "html", "table"))  # blocks that are changed as one


class MergeUnit(NamedTuple):
    """Lines that stand and change together."""

    kind: str  # entry, heading, front, block, line, blank
    text: str  # its lines without the last ending, the others as `\\n`
    name: str  # what it keeps when its text changes: an entry's id, a key of front matter; empty for none
    words: str  # what an entry or a heading says, without marker
    first: int  # its lines in the document
    last: int
    depth: int = 0  # how many entries enclose it
    end: int = -1  # of an entry: its last line with all that is nested in it


def read_units(document: Document) -> tuple[MergeUnit, ...]:
    """Take a document apart; every line is in one unit."""
    count = len(document.lines) if document.text else 0
    firsts = [line for line, first in enumerate(_owners(document)[:count]) if line == first]
    facts, depths = dict(_facts(document)), _depths(document)
    ends = {entry.line: entry.last_line for entry in reversed(document.entries)}
    units = (_unit(document, first, after - 1, facts) for first, after in pairwise([*firsts, count]))
    return tuple(unit._replace(depth=depths[unit.first], end=ends.get(unit.first, -1)) for unit in units)


def _depths(document: Document) -> list[int]:
    """Count for each line the entries that enclose it and begin above."""
    steps = [0] * (len(document.lines) + 2)
    for entry in document.entries:
        steps[entry.line + 1] += 1
        steps[entry.last_line + 1] -= 1
    return list(accumulate(steps))


def _owners(document: Document) -> list[int]:
    """Give for each line the first line of what it belongs to."""
    owners = list(range(len(document.lines) + 1))

    def claim(first: int, last: int) -> None:
        owners[first + 1 : last + 1] = [owners[first]] * (last - first)

    for entry in document.entries:
        claim(entry.line, document.lines.at(entry.text_span.end))
    for block in document.blocks:
        if block.kind in _WHOLE or (block.kind == "heading" and not block.depth):
            claim(block.line, block.last_line)
    for first, after in pairwise([*_keys(document)]):
        claim(first, after - 1)
    return owners


def _keys(document: Document) -> Iterator[int]:
    """Give the lines on which the keys of front matter begin, then the line behind the last value."""
    if front := document.front_matter:
        first, end = document.lines.at(front.yaml.start), document.lines.at(front.yaml.end)
        yield from (line for line in range(first, end) if _KEY.match(document.lines.text(line)))
        yield end


def _facts(document: Document) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Give kind, name and words of the units that have them, by their first line; the outer of two comes last."""
    lines = document.lines
    for block in document.blocks:
        if block.kind in _WHOLE:
            yield block.line, ("block", "", "")
    for section in document.sections:
        yield lines.at(section.heading.start), ("heading", "", section.title)
    for entry in reversed(document.entries):
        yield entry.line, ("entry", f"^{entry.parts.id}" if entry.parts.id else "", entry.text)
    if document.front_matter:
        for line in range(lines.at(document.front_matter.span.end - 1) + 1):
            key = _KEY.match(lines.text(line))
            yield line, ("front", key.group(1) if key else "", "")


def _unit(document: Document, first: int, last: int, facts: dict[int, tuple[str, str, str]]) -> MergeUnit:
    lines = document.lines
    bom = document.text.startswith("\ufeff") and first == 0
    raw = document.text[lines.start(first) + bom : lines.end(last)]
    kind, name, words = facts.get(first, ("line", "", "") if raw.strip() else ("blank", "", ""))
    return MergeUnit(kind, LINE_END.sub("\n", raw) if kind != "blank" else "", name, words, first, last)


Pair = tuple[int, int]
_MOST = 40_000  # comparisons within one gap; beyond, its units count as removed and added
_ALIKE = 0.5  # share of common words from which one unit may have become the other


def align(base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> dict[int, int]:
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


def gaps(pairs: Sequence[Pair], base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> Iterator[tuple[range, range]]:
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


def _name(unit: MergeUnit) -> Hashable:
    return (unit.kind, unit.name) if unit.name else None


def _words(unit: MergeUnit) -> Hashable:
    return (unit.kind, unit.words) if unit.words else None


def _among(
    gap: tuple[range, range],
    base: Sequence[MergeUnit],
    other: Sequence[MergeUnit],
    key: Callable[[MergeUnit], Hashable],
) -> list[Pair]:
    mine, yours = ([key(units[at]) for at in places] for units, places in zip((base, other), gap, strict=True))
    return [(gap[0][one], gap[1][two]) for one, two in equal(mine, yours)]


def _by_place(gap: tuple[range, range], base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> Iterator[Pair]:
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


def _may(unit: MergeUnit) -> bool:
    return unit.kind != "blank"


def _fits(one: MergeUnit, other: MergeUnit) -> bool:
    """Tell whether one may have become the other: of one kind, and not of two names."""
    return one.kind == other.kind and (not one.name or not other.name or one.name == other.name)


def _alike(one: MergeUnit, other: MergeUnit) -> bool:
    mine, yours = tokens(one.text), tokens(other.text)
    return len(mine & yours) >= _ALIKE * max(1, min(len(mine), len(yours)))
