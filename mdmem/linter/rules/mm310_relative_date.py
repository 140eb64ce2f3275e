"""MM310: a relative date, such as «tomorrow», in an entry without a date."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.relative_dates import names_any_day, relative, undated
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.inline import mask_code


def check(subject: Subject) -> Iterator[Finding]:
    """Find words such as 明天, 下周, next week in undated entries."""
    for item in undated(subject):
        if (span := relative(mask_code(item.entry.text))) and not names_any_day(item.entry.text):
            yield Finding(item.at(span), {"words": quote(span.of(item.entry.text))})


RULE = Rule(
    "MM310",
    "relative-date",
    "warning",
    check,
)
