"""Applies the fixes that the linter offers until it offers none; each was proved before it was offered."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import Document
from mdmem.core.record import NamedTuple
from mdmem.linter.proof import apply, compatible, offered

_ROUNDS = 100  # far above what any file needs; a guard against two rules that undo each other


class Fixed(NamedTuple):
    """What fixing made of a document, and what it could not mend."""

    document: Document
    applied: int
    remaining: tuple[Diagnostic, ...]


def fix(document: Document, lint: Callable[[Document], Sequence[Diagnostic]]) -> Fixed:
    """Apply every fix that is offered, re-reading after each round; the result is a fixed point (law 13)."""
    applied = 0
    for _ in range(_ROUNDS):
        found = offered(document, list(lint(document)))
        chosen = compatible([one.fix for one in found if one.fix])
        if not chosen:
            break
        document, applied = apply(document, chosen), applied + len(chosen)
    return Fixed(document, applied, tuple(found))
