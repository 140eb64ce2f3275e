"""Expiry dates of entries, and sizes of files and sections against their limits; used by linter, keeper and packer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from mdmem.formats.template import SectionSpec, Template
from mdmem.settings.durations import read_duration
from mdmem.text.document import Document, Entry, Section
from mdmem.text.entry import EntryParts, read_dates

_LAST_DAY = ("expires", "until")
LIFETIME = "ttl"


def may_expire(text: str) -> bool:
    """Return True if a text may contain an expiry field, without parsing it."""
    return "::" in text and any(f"{key}::" in text for key in (*_LAST_DAY, LIFETIME))


def last_day(parts: EntryParts, default: str = "", sessions: Sequence[date] = ()) -> date | None:
    """Return the last day on which an entry is valid; None without a limit, or if its sessions are not over.

    Args:
        parts: the entry.
        default: the time to live of the kind, for entries without one.
        sessions: the days of past sessions, sorted. Those on the day of the entry do not count, because it may have
            been written in any of them. The entry is valid to the end of the day of its last session.
    """
    for key in _LAST_DAY:
        if day := _day(parts, key):
            return day
    field = parts.field(LIFETIME)
    text = field.value if field else default
    duration = read_duration(text) if text else None
    start = _day(parts, "created") or (parts.date.value if parts.date else None)
    if duration is None or start is None:
        return None
    last = bisect_right(sessions, start) + duration.sessions - 1
    ends = [duration.end(start), sessions[last] if duration.sessions and last < len(sessions) else None]
    return min((end for end in ends if end), default=None)


def expired(document: Document, template: Template, today: date, sessions: Sequence[date] = ()) -> tuple[Entry, ...]:
    """Return the outermost entries past their last day, from their fields or their kind's time to live."""
    default = " or ".join(template.parts.get(LIFETIME, ()))
    if not default and not may_expire(document.text):
        return ()
    outer = (entry for entry in document.entries if not entry.depth)
    return tuple(entry for entry in outer if (day := last_day(entry.parts, default, sessions)) and day < today)


def _day(parts: EntryParts, key: str) -> date | None:
    field = parts.field(key)
    found = read_dates(field.value) if field else ()
    return found[0].value if found else None


class SectionFill(NamedTuple):
    """A section's entries against its cap."""

    spec: SectionSpec
    sections: tuple[Section, ...]  # more than one if the file has it twice
    number: int

    @property
    def over(self) -> bool:
        """More entries than the cap allows."""
        return self.spec.entries.max is not None and self.number > self.spec.entries.max

    @property
    def pending(self) -> bool:
        """Enough entries for the keeper to condense."""
        return self.spec.entries.compact_at is not None and self.number >= self.spec.entries.compact_at


class FileSize(NamedTuple):
    """A file's characters (code points, front matter left out) and outermost entries."""

    chars: int
    entries: int


class Meters(NamedTuple):
    """The measured sizes of a file."""

    size: FileSize
    fills: tuple[SectionFill, ...]


def measure(document: Document, template: Template) -> Meters:
    """Measure a file against its template."""
    return Meters(size(document), section_fills(document, template))


def section_fills(document: Document, template: Template) -> tuple[SectionFill, ...]:
    """Count the outermost entries of each section that the template names, sub-sections included."""
    named: dict[str, list[Section]] = {}
    counts: dict[str, int] = {}
    owners: list[str | None] = []
    for section in document.sections:
        parent = owners[section.parent] if section.parent is not None else None
        name = template.named(section) or parent
        owners.append(name)
        if name is None:
            continue
        if name != parent:
            named.setdefault(name, []).append(section)
        counts[name] = counts.get(name, 0) + sum(not entry.depth for entry in section.entries)
    return tuple(
        SectionFill(spec, tuple(named.get(spec.name, ())), counts.get(spec.name, 0)) for spec in template.sections
    )


def size(document: Document) -> FileSize:
    """Measure the part of a file that a model is shown."""
    return FileSize(len(document.text) - document.start, sum(not entry.depth for entry in document.entries))


def owner_of(document: Document, template: Template, section: Section | None) -> SectionSpec | None:
    """Return the template's section for a section or one above it: the one whose cap counts its entries."""
    while section:
        if spec := template.spec(template.named(section) or ""):
            return spec
        section = document.sections[section.parent] if section.parent is not None else None
    return None


_AROUND = len("# \n\n- \n\n")  # of a heading and an entry, without their text


def view_room(template: Template, titles: int = 0) -> int | None:
    """Return the characters that a file's view has for entries beside the headings of all its sections.

    Args:
        template: the file's kind.
        titles: characters of the titles around the view.
    """
    if template.view.max_chars is None:
        return None
    heads = sum(section.level + len(section.name) + _AROUND for section in template.sections)
    return max(0, template.view.max_chars - titles - heads)


def shares(total: int, most: Sequence[int], least: Sequence[int]) -> tuple[int, ...]:
    """Divide a total evenly: each share is at most its maximum and at least its minimum; all others are equal.

    The sum exceeds the total only if the sum of the minimums does.
    """

    def at(level: int) -> tuple[int, ...]:
        return tuple(max(low, min(level, maximum)) for maximum, low in zip(most, least, strict=True))

    low, high = 0, max((*most, 0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(at(middle)) <= total else (low, middle - 1)
    return at(low)


BULLET = 3  # characters around the text of an entry: a bullet, a space and a line ending
