"""The same statement on several days: one entry of the last day, with the earlier days in a field."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.core.document import Document, Entry
from mdmem.core.entry import read_dates
from mdmem.core.record import NamedTuple
from mdmem.core.similarity import essence
from mdmem.core.template import Template

DAYS = "also"  # the field with the earlier days, oldest first


class Repeat(NamedTuple):
    """Entries of one section that say the same on different days."""

    kept: Entry  # of the last day
    text: str  # what it is to say
    gone: tuple[Entry, ...]


def repeats(document: Document, template: Template) -> Iterator[Repeat]:
    """Find the statements that stand under several days where a template wants each entry once.

    A to-do of each day is a thing of its own; so is an entry that others refer to, or that holds others.
    """
    if template.body != "markdown" or "milestones" in template.parts:  # what is rolled up is a course of events
        return
    if not any(rule.unique for rule in (template.entries, *(spec.entries for spec in template.sections))):
        return  # most files need not be parsed
    for section in document.sections:
        rule = template.rules(section)
        groups: dict[str, list[Entry]] = {}
        for entry in section.entries if rule.unique else ():
            if said := _statement(entry):
                groups.setdefault(said, []).append(entry)
        for entries in groups.values():
            if len(entries) > 1 and (found := _merged(entries, rule.max_chars)):
                yield found


def _statement(entry: Entry) -> str:
    """Return what an entry says without its day; empty where it may not be merged."""
    parts = entry.parts
    alone = not entry.depth and entry.line == entry.last_line and parts.id is None and parts.meta is None
    if not alone or parts.done is not None or parts.date is None or parts.date.value is None:
        return ""
    return essence(parts.body.of(entry.text))


def _merged(entries: Sequence[Entry], most: int | None) -> Repeat | None:
    kept = max(entries, key=lambda one: (_day(one), one.line))
    days = {day for one in entries for day in (_day(one), *_earlier(one))} - {_day(kept)}
    if not days:
        return None  # of one day: a plain duplicate, which MM305 reports
    listed, known = ", ".join(sorted(days)), kept.parts.field(DAYS)
    span = known.value_span if known else None
    if span:
        text = f"{kept.text[: span.start]} {listed}{kept.text[span.end :]}"
    else:
        text = f"{kept.text.rstrip()} [{DAYS}:: {listed}]"
    if most is not None and len(text) > most:
        return None
    return Repeat(kept, text, tuple(one for one in entries if one is not kept))


def _day(entry: Entry) -> str:
    date = entry.parts.date
    return date.value.isoformat() if date and date.value else ""


def _earlier(entry: Entry) -> Iterator[str]:
    field = entry.parts.field(DAYS)
    yield from (one.value.isoformat() for one in read_dates(field.value if field else "") if one.value)
