"""MM310: «tomorrow» in a memory that does not say when it was written."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.relative_dates import relative, undated
from mdmem.linter.rule import Finding, Rule, RuleText, Subject, quote
from mdmem.text.inline import mask_code


def check(subject: Subject) -> Iterator[Finding]:
    """Find words such as 明天, 下周, next week in undated entries."""
    for item in undated(subject):
        if span := relative(mask_code(item.entry.text)):
            yield Finding(item.at(span), {"words": quote(span.of(item.entry.text))})


RULE = Rule(
    "MM310",
    "relative-date",
    "warning",
    check,
    en=RuleText(
        "«{words}» of which day? this entry has no date to count from", "write the day itself, or date the entry"
    ),
    zh=RuleText("「{words}」是哪一天？这条记忆没有可以推算的日期", "写出具体日期，或在开头标上日期"),
)
