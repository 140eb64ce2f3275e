"""MM402: a section is as full as the keeper waits for."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare each section's entries with its threshold; one above its cap is MM401's alone."""
    for fill in subject.fills:
        if fill.pending and not fill.over and fill.sections:
            facts = {"count": fill.number, "at": fill.spec.entries.compact_at, "section": fill.spec.name}
            yield Finding(fill.sections[-1].heading, facts)


RULE = Rule(
    "MM402",
    "section-at-threshold",
    "warning",
    check,
    en=RuleText(
        "{count:entry|entries} in «{section}»: compaction is pending from {at} on",
        "let the keeper condense it, or merge entries that say one thing",
    ),
    zh=RuleText("「{section}」已有 {count} 条（到 {at} 条就待压缩）", "让 keeper 压缩，或合并意思相同的条目"),
)
