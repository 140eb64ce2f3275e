"""Applies fixes until none is left: each round is proved, and a fix that cannot be proved is left to the person."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import Document, parse
from mdmem.core.edit import Edit, apply_edits
from mdmem.core.text import Span
from mdmem.core.verify import verify

_ROUNDS = 100  # far above what any file needs; a guard against two rules that undo each other


class Fixed(NamedTuple):
    """What fixing made of a document, and what it could not mend."""

    document: Document
    applied: int
    remaining: tuple[Diagnostic, ...]


def fix(document: Document, lint: Callable[[Document], Sequence[Diagnostic]]) -> Fixed:
    """Apply every fix the linter offers, re-reading after each round; the result is a fixed point (law 13)."""
    applied = 0
    for _ in range(_ROUNDS):
        found = lint(document)
        chosen = _compatible([diagnostic.fix for diagnostic in found if diagnostic.fix])
        after = _try(document, [edit for one in chosen for edit in one])
        count = len(chosen)
        if after is None:
            after, count = _one_by_one(document, chosen)
        if not count:
            return Fixed(document, applied, tuple(diagnostic._replace(fix=()) for diagnostic in found))
        document, applied = after, applied + count
    found = lint(document)
    return Fixed(document, applied, tuple(diagnostic._replace(fix=()) for diagnostic in found))


def _compatible(fixes: Sequence[tuple[Edit, ...]]) -> list[tuple[Edit, ...]]:
    """Take fixes in order, leaving for the next round those that touch a place already taken."""
    chosen: list[tuple[Edit, ...]] = []
    taken: list[Span] = []  # in order, apart from one another
    for one in fixes:
        places = [bisect_left(taken, edit.span) for edit in one]
        if all(_apart(edit.span, taken, place) for edit, place in zip(one, places, strict=True)):
            chosen.append(one)
            for edit in one:
                insort(taken, edit.span)
    return chosen


def _apart(span: Span, taken: Sequence[Span], place: int) -> bool:
    """Tell whether a span stays clear of the taken ones on both sides of its place among them."""
    before = place == 0 or taken[place - 1].end < span.start
    return before and (place == len(taken) or span.end < taken[place].start)


def _try(document: Document, edits: Sequence[Edit]) -> Document | None:
    after = parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))
    return None if verify(document, edits, after) else after


def _one_by_one(document: Document, fixes: Sequence[tuple[Edit, ...]]) -> tuple[Document, int]:
    """Apply the first fix that can be proved alone; the others are found again in the next round."""
    for one in fixes:
        if after := _try(document, one):
            return after, 1
    return document, 0
