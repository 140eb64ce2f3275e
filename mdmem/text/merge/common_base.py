"""Builds the version with which two texts probably began, where no history has it: what both have in common."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from mdmem.text.document import Document
from mdmem.text.merge.merge_entry import common_entry
from mdmem.text.merge.merge_units import MergeUnit, align, are_versions, read_units


def common_base(copy: Document, there: Document, known: Document | None, earlier: Collection[str] = ()) -> str:
    """Return a base for the merge of two versions: nothing that one of them alone has counts as removed.

    Two versions of an entry have in common what both say, so that a merge joins what each side added to it; where both
    say something else in one place, the merge finds a collision. Entries of two days, or of other words, are two.

    Args:
        copy: one version.
        there: the other one, whose order the base has.
        known: an older version of both: what it has and one of both lacks was removed.
        earlier: the lines of older versions: of two versions of an entry, the one that is among them is the older one.
    """
    old = {unit.text for unit in read_units(known)} if known else set[str]()
    return "".join(f"{text}\n" for text in _common(read_units(there), read_units(copy), old, earlier))


def _common(
    there: Sequence[MergeUnit], copy: Sequence[MergeUnit], old: Collection[str], earlier: Collection[str]
) -> Iterator[str]:
    """Yield the texts of the base, in the order of `there`; what only the copy has follows what stands before it."""
    pairs = align(there, copy)
    pairs = {at: to for at, to in pairs.items() if _is_pair(there[at], copy[to])}
    matched, done = set(pairs.values()), 0
    elsewhere = Counter(unit.text for at, unit in enumerate(copy) if at not in matched and unit.kind == "entry")
    for at, unit in enumerate(there):
        if at in pairs:
            yield from (one.text for one in copy[done : pairs[at]] if one.kind == "entry" and one.text in old)
            done = pairs[at] + 1
            yield _older(unit.text, copy[pairs[at]].text, earlier)
        elif unit.kind == "entry" and (elsewhere[unit.text] > 0 or unit.text in old):
            elsewhere[unit.text] -= 1
            yield unit.text
    yield from (one.text for one in copy[done:] if one.kind == "entry" and one.text in old)


def _is_pair(one: MergeUnit, other: MergeUnit) -> bool:
    return one.text == other.text or are_versions(one, other)


def _older(one: str, other: str, earlier: Collection[str]) -> str:
    """Return the text with which two versions of a unit began."""
    known = [text for text in (one, other) if text.strip() in earlier]
    if one == other:
        return one
    return known[0] if len(known) == 1 else common_entry(one, other)
