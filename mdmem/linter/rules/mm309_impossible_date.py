"""MM309: a date that does not exist."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.relative_dates import impossible_days
from mdmem.linter.rule import Finding, Rule, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Find days such as 2026-02-30; with dots it may be a version, and with a distant year any number."""
    for item in subject.items:
        for date in item.parts.dates:
            in_field = any(field.span.holds(date.span) for field in item.parts.fields)
            if date.value is None and "." not in date.text and date.text[:2] in ("19", "20", "21") and not in_field:
                yield Finding(item.at(date.span), {"date": quote(date.text)})
        for span in impossible_days(item.entry.text):
            yield Finding(item.at(span), {"date": quote(span.of(item.entry.text))})


RULE = Rule(
    "MM309",
    "impossible-date",
    "warning",
    check,
)
