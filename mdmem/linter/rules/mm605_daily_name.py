"""MM605: the name and the title of a daily file are not the same day."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.entry import read_dates
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_NAME = pattern(r"\d{4}-\d{2}-\d{2}\Z")


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the date in the file's name with the calendar, and with the dates in the title, if it has any."""
    stem = subject.name.rpartition(".")[0]
    if subject.memory is None or subject.memory.kind != "daily" or not _NAME.match(stem):
        return
    day = read_dates(stem)[0].value
    title = next((section for section in subject.document.sections if section.level == 1), None)
    dates = read_dates(title.title) if title else ()
    if day is None or (dates and day not in (date.value for date in dates)):
        span = title.heading if title and dates else Span(0, 0)
        yield Finding(span, {"name": stem, "title": dates[0].text if dates else "–"})


RULE = Rule(
    "MM605",
    "daily-name",
    "warning",
    check,
)
