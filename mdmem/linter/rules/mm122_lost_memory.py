"""MM122: a file that was deleted or clobbered outside mdmem, while the history still has its text."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Report a file that lost its known text."""
    if subject.facts.lost:
        yield Finding(Span(0, 0), {"path": quote(subject.path, 80)}, variant=subject.facts.lost)


RULE = Rule(
    "MM122",
    "lost-memory",
    "warning",
    check,
    scope="file",
)
