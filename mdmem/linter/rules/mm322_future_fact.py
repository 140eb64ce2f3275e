"""MM322: a fact dated in the future."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.fact_words import KIND
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find lines of a facts file whose day, on which it was said, is yet to come.

    Another time zone may be a day ahead.
    """
    if subject.memory is None or subject.memory.kind != KIND:
        return
    last = subject.today.toordinal() + subject.settings.future_days
    for item in subject.items:
        date = item.parts.date
        if not item.entry.depth and date and date.value and date.value.toordinal() > last:
            yield Finding(item.at(date.span), {"date": date.value.isoformat()})


RULE = Rule(
    "MM322",
    "future-fact",
    "note",
    check,
)
