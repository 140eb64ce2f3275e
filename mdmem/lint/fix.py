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

# Far above what any file needs: guards against two rules that undo each other, and against proofs that all fail.
_ROUNDS = 100
_PROOFS = 100  # in a round


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
        chosen = _Round(document).proved(_compatible([diagnostic.fix for diagnostic in found if diagnostic.fix]))
        if not chosen:
            break
        document, applied = _apply(document, chosen), applied + len(chosen)
    else:
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


def _apply(document: Document, fixes: Sequence[tuple[Edit, ...]]) -> Document:
    edits = [edit for one in fixes for edit in one]
    return parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))


class _Round:
    """Finds which fixes can be proved together, with a bounded number of proofs."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.proofs = 0

    def proved(self, fixes: Sequence[tuple[Edit, ...]]) -> Sequence[tuple[Edit, ...]]:
        """Give all of them where that holds, else what holds of each half, and of both together."""
        if not fixes or self._holds(fixes):
            return fixes
        if len(fixes) == 1:
            return ()
        middle = len(fixes) // 2
        first, second = self.proved(fixes[:middle]), self.proved(fixes[middle:])
        both = [*first, *second]
        return both if not first or not second or self._holds(both) else first

    def _holds(self, fixes: Sequence[tuple[Edit, ...]]) -> bool:
        self.proofs += 1
        if self.proofs > _PROOFS:
            return False
        edits = [edit for one in fixes for edit in one]
        return not verify(self.document, edits, _apply(self.document, fixes))
