"""Offers only fixes that can be proved, alone and together, and applies them.

A rule proposes an edit. The document is parsed again to prove that every other line keeps its meaning. An offered fix
can therefore always be applied (law 13); the others are left to the person.
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
# Limits against hostile input, far above what a memory needs: proofs per document, and the characters they read.
_PROOFS = 200
_CHARS = 2_000_000


def provable_fixes(document: Document, findings: list[Diagnostic]) -> list[Diagnostic]:
    """Return the findings without the fixes that cannot be proved."""
    prover = _Prover(document)
    while fixes := compatible([finding.fix for finding in findings if finding.fix]):
        proved = prover.proved(fixes)
        if len(proved) == len(fixes):
            break
        refused = set(fixes).difference(proved)
        findings = [finding._replace(fix=()) if finding.fix in refused else finding for finding in findings]
    return findings


def compatible(fixes: Sequence[Fix]) -> list[Fix]:
    """Return the fixes in order, without those that touch a span that an earlier one has taken."""
    chosen: list[Fix] = []
    taken: list[Span] = []  # sorted, not touching one another
    for fix in fixes:
        positions = [bisect_left(taken, edit.span) for edit in fix]
        if all(_apart(edit.span, taken, position) for edit, position in zip(fix, positions, strict=True)):
            chosen.append(fix)
            for edit in fix:
                insort(taken, edit.span)
    return chosen


def apply(document: Document, fixes: Sequence[Fix]) -> Document:
    """Return the document with the fixes applied."""
    edits = [edit for fix in fixes for edit in fix]
    return parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))


def _apart(span: Span, taken: Sequence[Span], position: int) -> bool:
    """Return whether a span touches neither of the taken spans beside its position among them."""
    before = position == 0 or taken[position - 1].end < span.start
    return before and (position == len(taken) or span.end < taken[position].start)


class _Prover:
    """Finds which fixes can be proved together, with a bounded number of proofs."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.left = min(_PROOFS, 2 + _CHARS // (len(document.text) + 1))

    def proved(self, fixes: Sequence[Fix]) -> Sequence[Fix]:
        """Return all fixes if they hold together; else those that hold of each half, and together."""
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


_ROUNDS = 100  # a limit, far above what any file needs, against two rules that undo each other


class Fixed(NamedTuple):
    """The result of fixing a document, and the findings that remain."""

    document: Document
    applied: int
    remaining: tuple[Diagnostic, ...]
    mended: tuple[Diagnostic, ...] = ()


def fix_document(document: Document, lint: Callable[[Document], Sequence[Diagnostic]]) -> Fixed:
    """Apply all offered fixes, linting again after each round; the result is a fixed point (law 13)."""
    applied, mended = 0, list[Diagnostic]()
    for _ in range(_ROUNDS):
        findings = provable_fixes(document, list(lint(document)))
        chosen = compatible([one.fix for one in findings if one.fix])
        if not chosen:
            break
        mended += [one for one in findings if one.fix in chosen]
        document, applied = apply(document, chosen), applied + len(chosen)
    return Fixed(document, applied, tuple(findings), tuple(mended))
