"""MM401: more entries in a section than its template allows."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each section's entries with its cap."""
    for fill in subject.fills:
        if fill.over:
            facts = {"count": fill.number, "max": fill.spec.entries.max, "section": fill.spec.name}
            yield Finding(fill.sections[-1].heading, facts)


RULE = Rule(
    "MM401",
    "section-over-cap",
    "error",
    check,
    en=RuleText(
        "{count:entry|entries} in «{section}», its cap is {max}", "condense the section, or move entries to archive/"
    ),
    zh=RuleText("「{section}」有 {count} 条，上限是 {max} 条", "压缩这个区域，或把条目移到 archive/"),
)
