"""MM401: more entries in a section than the template allows."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the entries of each section with its cap."""
    for fill in subject.fills:
        if fill.over:
            facts = {"count": fill.number, "max": fill.spec.entries.max, "section": fill.spec.name}
            yield Finding(fill.sections[-1].heading, facts)


RULE = Rule(
    "MM401",
    "section-over-cap",
    "error",
    check,
    measure="count",
)
