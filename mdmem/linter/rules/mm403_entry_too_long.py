"""MM403: an entry with more characters than its section allows."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Count the characters of each entry's own text, without marker and nested text."""
    for item in subject.items:
        most = item.rule.max_chars
        if most is not None and len(item.entry.text) > most:
            yield Finding(item.entry.text_span, {"chars": len(item.entry.text), "max": most})


RULE = Rule(
    "MM403",
    "entry-too-long",
    "warning",
    check,
)
