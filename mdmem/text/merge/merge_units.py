"""Splits a document into merge units (entries, front matter keys, closed blocks, lines), and aligns two versions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from mdmem.text.document import Document
from mdmem.text.entry import read_entry
from mdmem.text.merge.merge_entry import says_more
from mdmem.text.pattern import pattern
from mdmem.text.similarity import tokens
from mdmem.text.spans import LINE_END

_KEY = pattern(r"([^\s#:'\"-][^:]*):(?:\s|\Z)")
_WHOLE = frozenset(("fence", "code", "html", "table"))  # blocks that are merged as a whole


class MergeUnit(NamedTuple):
    """Lines that are merged together."""

    kind: str  # entry, heading, front, block, line, blank
    text: str  # its lines without the last ending, the others as `\\n`
    name: str  # its identity when the text changes: an entry's id, a front matter key; empty for none
    words: str  # the text of an entry or a heading, without marker
    first: int  # its lines in the document
    last: int
    depth: int = 0  # how many entries enclose it
    end: int = -1  # of an entry: the last line, nested items included
    is_new: bool = False  # its text is a merged one, not that of its lines


def read_units(document: Document) -> tuple[MergeUnit, ...]:
    """Split a document into units; every line is in one."""
    count = len(document.lines) if document.text else 0
    firsts = [line for line, first in enumerate(_owners(document)[:count]) if line == first]
    facts, depths = dict(_facts(document)), _depths(document)
    ends = {entry.line: entry.last_line for entry in reversed(document.entries)}
    units = (_unit(document, first, after - 1, facts) for first, after in pairwise([*firsts, count]))
    return tuple(unit._replace(depth=depths[unit.first], end=ends.get(unit.first, -1)) for unit in units)


def _depths(document: Document) -> list[int]:
    """Return for each line the number of entries that enclose it and begin above."""
    steps = [0] * (len(document.lines) + 2)
    for entry in document.entries:
        steps[entry.line + 1] += 1
        steps[entry.last_line + 1] -= 1
    return list(accumulate(steps))


def _owners(document: Document) -> list[int]:
    """Return for each line the first line of its unit."""
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
    """Return the first lines of front matter keys, then the line after the last value."""
    if front := document.front_matter:
        first, end = document.lines.at(front.yaml.start), document.lines.at(front.yaml.end)
        yield from (line for line in range(first, end) if _KEY.match(document.lines.text(line)))
        yield end


def _facts(document: Document) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Yield kind, name and words of units by their first line; the outer of two comes last."""
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
_MOST = 40_000  # comparisons within one gap; a larger gap counts as removed and added units
_TELLING = 2  # words that tell whether two texts have something in common
_ALIKE = 0.5  # share of common words from which one unit may be a changed version of the other
_IN_PLACE = 0.25  # the same for one that stands in the place of the other


def align(base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> dict[int, int]:
    """Match units of two versions, in order: index in the base → index in the other.

    Headings come first: an entry that was moved past one is not what stayed in its place.
    """
    pairs = equal(*([_heading(unit) for unit in units] for units in (base, other)))
    for one in (_text, _name, _words):
        pairs += [pair for gap in gaps(pairs, base, other) for pair in _among(gap, base, other, one)]
        pairs.sort()
    for match in (_by_words, _by_order):
        pairs += [pair for gap in gaps(pairs, base, other) for pair in match(gap, base, other)]
        pairs.sort()
    return dict(pairs)


def equal(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[Pair]:
    """Match equal keys, in order; None matches nothing."""
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
            positions = [(low + one, start + two) for one, two in anchors]
            found += positions
            edges = [(low - 1, start - 1), *positions, (high, stop)]
            todo += [(a + 1, c, b + 1, d) for (a, b), (c, d) in pairwise(edges)]
        elif (high - low) * (stop - start) <= _MOST:
            found += [(low + one, start + two) for one, two in _longest(ours[low:high], theirs[start:stop])]
    return sorted(found)


def gaps(pairs: Sequence[Pair], base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> Iterator[tuple[range, range]]:
    """Yield the ranges between pairs."""
    edges = [(-1, -1), *pairs, (len(base), len(other))]
    for (low, start), (high, stop) in pairwise(edges):
        if high - low > 1 and stop - start > 1:
            yield range(low + 1, high), range(start + 1, stop)


def _same(one: Hashable, other: Hashable) -> bool:
    return one is not None and one == other


def _unique(ours: Sequence[Hashable], theirs: Sequence[Hashable]) -> list[Pair]:
    """Match the keys that occur once on each side: the longest increasing sequence."""
    once, twice = Counter(ours), Counter(theirs)
    position = {key: index for index, key in enumerate(theirs)}
    pairs = [
        (index, position[key])
        for index, key in enumerate(ours)
        if key is not None and once[key] == 1 and twice.get(key) == 1
    ]
    tails: list[int] = []  # the smallest last index of a sequence of each length
    ends: list[int] = []  # the pair at which it ends
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
    if not {key for key in ours if key is not None}.intersection(theirs):
        return []
    from difflib import SequenceMatcher  # loaded only for a gap that has common keys, none of them unique

    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    found = [(block.a + step, block.b + step) for block in blocks for step in range(block.size)]
    return [(one, two) for one, two in found if ours[one] is not None]


def _heading(unit: MergeUnit) -> Hashable:
    return unit.text if unit.kind == "heading" else None


def _text(unit: MergeUnit) -> Hashable:
    return unit.text


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
    ours, theirs = ([key(units[at]) for at in part] for units, part in zip((base, other), gap, strict=True))
    return [(gap[0][one], gap[1][two]) for one, two in equal(ours, theirs)]


def _by_words(gap: tuple[range, range], base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> Iterator[Pair]:
    """Match changed entries by their words: the pairs in order that have most in common in all."""
    ours, theirs = (
        [at for at in part if units[at].kind == "entry"] for units, part in zip((base, other), gap, strict=True)
    )
    if len(ours) * len(theirs) > _MOST:
        return
    best = [[0.0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]  # of the entries from each pair on
    mine, yours = ([_EntryWords(units[at]) for at in part] for units, part in ((base, ours), (other, theirs)))
    shares = [[one.share(two) for two in yours] for one in mine]
    for one in reversed(range(len(ours))):
        for two in reversed(range(len(theirs))):
            taken = shares[one][two] + best[one + 1][two + 1] if shares[one][two] else 0.0
            best[one][two] = max(taken, best[one + 1][two], best[one][two + 1])
    one = two = 0
    while one < len(ours) and two < len(theirs):
        if best[one][two] == best[one + 1][two]:
            one += 1
        elif best[one][two] == best[one][two + 1]:
            two += 1
        else:
            yield ours[one], theirs[two]
            one, two = one + 1, two + 1


class _EntryWords:
    """The words of an entry."""

    def __init__(self, unit: MergeUnit) -> None:
        self._unit = unit
        self._words, self._all = tokens(_substance(unit)), tokens(unit.text)

    def share(self, other: _EntryWords) -> float:
        """Return the share of words that both have in common, dates included; 0 if neither is a version."""
        if not (fits(self._unit, other._unit) and _are_alike(self._words, other._words)):
            return 0.0
        return len(self._all & other._all) / max(1, len(self._all | other._all))


def _by_order(gap: tuple[range, range], base: Sequence[MergeUnit], other: Sequence[MergeUnit]) -> Iterator[Pair]:
    """Match changed units: by order if each kind has as many units as before, else by similarity."""
    ours, theirs = ([at for at in part if _may(units[at])] for units, part in zip((base, other), gap, strict=True))
    if [base[at].kind for at in ours] == [other[at].kind for at in theirs]:
        yield from (pair for pair in zip(ours, theirs, strict=True) if fits(base[pair[0]], other[pair[1]]))
        return
    if len(ours) * len(theirs) > _MOST:
        return
    start = 0
    for one in ours:
        for index in range(start, len(theirs)):
            if fits(base[one], other[theirs[index]]) and alike(base[one], other[theirs[index]]):
                yield one, theirs[index]
                start = index + 1
                break


def _may(unit: MergeUnit) -> bool:
    return unit.kind != "blank"


def fits(one: MergeUnit, other: MergeUnit) -> bool:
    """Return whether one may be a changed version of the other: the same kind, and not two different names."""
    return one.kind == other.kind and (not one.name or not other.name or one.name == other.name)


def alike(one: MergeUnit, other: MergeUnit) -> bool:
    """Return whether one unit has enough words of another to be a changed version of it."""
    return _are_alike(tokens(_substance(one)), tokens(_substance(other)))


def _are_alike(one: frozenset[str], other: frozenset[str], share: float = _ALIKE) -> bool:
    return len(one & other) >= share * max(1, min(len(one), len(other)))


def is_version(one: MergeUnit, other: MergeUnit) -> bool:
    """Return whether a unit in the place of another is a version of it; of single words nobody can tell."""
    mine, yours = tokens(_substance(one)), tokens(_substance(other))
    return one.kind != "entry" or min(len(mine), len(yours)) < _TELLING or _are_alike(mine, yours, _IN_PLACE)


def are_versions(one: MergeUnit, other: MergeUnit) -> bool:
    """Return whether two entries of unknown origin are versions of one: of one id, or of one day and with most words.

    Another day makes another entry, for what recurs has the same words.
    """
    if one.kind != "entry" or not fits(one, other):
        return False
    days = {date.value for unit in (one, other) if (date := read_entry(unit.words).date)}
    if one.name and one.name == other.name:
        return True
    mine, yours = _substance(one), _substance(other)
    words = tokens(mine), tokens(yours)
    is_most = len(words[0] & words[1]) >= _ALIKE * max(1, len(words[0] | words[1]))
    return len(days) < 2 and (is_most or says_more(mine, yours) or says_more(yours, mine))


def _substance(unit: MergeUnit) -> str:
    """Return what a unit says: of an entry its words without date and fields, which others have too."""
    return (read_entry(unit.words).body.of(unit.words) if unit.kind == "entry" else "") or unit.text
