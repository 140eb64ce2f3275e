"""Until when an entry holds, as its fields or its kind's time to live say; linter and keeper get one answer."""

from __future__ import annotations

from datetime import date

from mdmem.core.duration import read_duration
from mdmem.core.entry import Parts, read_dates

_LAST_DAY = ("expires", "until")


def last_day(parts: Parts, default: str = "") -> date | None:
    """Give the last day on which an entry holds; None where nothing says so, or only sessions count.

    `default` is the kind's own time to live, for entries that name none.
    """
    for key in _LAST_DAY:
        if day := _day(parts, key):
            return day
    field = parts.field("ttl")
    said = field.value if field else default
    duration = read_duration(said) if said else None
    start = _day(parts, "created") or (parts.date.value if parts.date else None)
    return duration.end(start) if duration and start else None


def _day(parts: Parts, key: str) -> date | None:
    field = parts.field(key)
    found = read_dates(field.value) if field else ()
    return found[0].value if found else None
