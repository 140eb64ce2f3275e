"""MM113: the marks that git leaves where two versions collide."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.conflicts import conflicts
from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find conflicts, whole or in part."""
    yield from map(Finding, conflicts(subject.document))


RULE = Rule(
    "MM113",
    "conflict-marker",
    "error",
    check,
    en=RuleText("a merge conflict was never resolved here", "keep what is right of both sides and delete the marks"),
    zh=RuleText("这里有没解决的合并冲突", "保留两边正确的内容，再删掉冲突标记"),
)
