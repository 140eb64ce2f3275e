"""MM113: the marks that git leaves where two versions collide."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.conflicts import conflicts
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find conflicts, whole or in part."""
    yield from map(Finding, conflicts(subject.document))


RULE = Rule(
    "MM113",
    "conflict-marker",
    "error",
    check,
)
