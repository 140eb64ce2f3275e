"""MM402: a section that has reached the threshold of the keeper."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the entries of each section with its threshold; one above its cap is reported by MM401."""
    for fill in subject.fills:
        if fill.pending and not fill.over and fill.sections:
            facts = {"count": fill.number, "at": fill.spec.entries.compact_at, "section": fill.spec.name}
            yield Finding(fill.sections[-1].heading, facts)


RULE = Rule(
    "MM402",
    "section-at-threshold",
    "warning",
    check,
    measure="count",
)
