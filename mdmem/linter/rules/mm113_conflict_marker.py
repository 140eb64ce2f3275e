"""MM113: marks that git leaves at a merge conflict."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.conflicts import conflicts
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find conflicts, complete or partial."""
    yield from map(Finding, conflicts(subject.document))


RULE = Rule(
    "MM113",
    "conflict-marker",
    "error",
    check,
)
