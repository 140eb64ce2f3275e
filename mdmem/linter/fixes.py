"""Which fixes may be offered: those that can be proved, each and all that do not touch one another together.

A rule says what would mend its finding; whether that leaves every other line what it is, a second reading tells.
So a fix that is offered is a fix that will be applied (law 13), and the others are left to the person.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic, Edit, apply_edits
from mdmem.text.spans import Span
from mdmem.text.verify import violations

Fix = tuple[Edit, ...]
# Guards against hostile input, far above what any memory needs: proofs for one document, and characters they read.
_PROOFS = 200
_CHARS = 2_000_000


def provable_fixes(document: Document, found: list[Diagnostic]) -> list[Diagnostic]:
    """Take back the fixes that cannot be proved."""
    prover = _Prover(document)
    while fixes := compatible([one.fix for one in found if one.fix]):
        proved = prover.proved(fixes)
        if len(proved) == len(fixes):
            break
        refused = set(fixes).difference(proved)
        found = [one._replace(fix=()) if one.fix in refused else one for one in found]
    return found


def compatible(fixes: Sequence[Fix]) -> list[Fix]:
    """Take fixes in order, leaving for later those that touch a place already taken."""
    chosen: list[Fix] = []
    taken: list[Span] = []  # in order, apart from one another
    for one in fixes:
        places = [bisect_left(taken, edit.span) for edit in one]
        if all(_apart(edit.span, taken, place) for edit, place in zip(one, places, strict=True)):
            chosen.append(one)
            for edit in one:
                insort(taken, edit.span)
    return chosen


def apply(document: Document, fixes: Sequence[Fix]) -> Document:
    """Give the document that the fixes make."""
    edits = [edit for one in fixes for edit in one]
    return parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))


def _apart(span: Span, taken: Sequence[Span], place: int) -> bool:
    """Tell whether a span stays clear of the taken ones on both sides of its place among them."""
    before = place == 0 or taken[place - 1].end < span.start
    return before and (place == len(taken) or span.end < taken[place].start)


class _Prover:
    """Finds which fixes can be proved together, with a bounded number of proofs."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.left = min(_PROOFS, 2 + _CHARS // (len(document.text) + 1))

    def proved(self, fixes: Sequence[Fix]) -> Sequence[Fix]:
        """Give all of them where that holds, else what holds of each half, and of both together."""
        if not fixes or self._holds(fixes):
            return fixes
        if len(fixes) == 1:
            return ()
        middle = len(fixes) // 2
        first, second = self.proved(fixes[:middle]), self.proved(fixes[middle:])
        both = [*first, *second]
        return both if not first or not second or self._holds(both) else first

    def _holds(self, fixes: Sequence[Fix]) -> bool:
        self.left -= 1
        if self.left < 0:
            return False
        edits = [edit for one in fixes for edit in one]
        return next(violations(self.document, edits, apply(self.document, fixes)), None) is None


_ROUNDS = 100  # far above what any file needs; a guard against two rules that undo each other


class Fixed(NamedTuple):
    """What fixing made of a document, and what it could not mend."""

    document: Document
    applied: int
    remaining: tuple[Diagnostic, ...]


def fix_document(document: Document, lint: Callable[[Document], Sequence[Diagnostic]]) -> Fixed:
    """Apply every fix that is offered, re-reading after each round; the result is a fixed point (law 13)."""
    applied = 0
    for _ in range(_ROUNDS):
        found = provable_fixes(document, list(lint(document)))
        chosen = compatible([one.fix for one in found if one.fix])
        if not chosen:
            break
        document, applied = apply(document, chosen), applied + len(chosen)
    return Fixed(document, applied, tuple(found))
