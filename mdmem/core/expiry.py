"""Until when an entry holds, as its fields or its kind's time to live say; linter and keeper get one answer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from datetime import date

from mdmem.core.duration import read_duration
from mdmem.core.entry import Parts, read_dates

_LAST_DAY = ("expires", "until")
_LIFE = "ttl"


def may_expire(text: str) -> bool:
    """Return True if an entry of a text may say how long it holds; most texts need not be parsed to know."""
    return "::" in text and any(f"{key}::" in text for key in (*_LAST_DAY, _LIFE))


def last_day(parts: Parts, default: str = "", sessions: Sequence[date] = ()) -> date | None:
    """Give the last day on which an entry holds; None where nothing says so, or as many sessions are still to come.

    Args:
        parts: the entry.
        default: the kind's own time to live, for entries that name none.
        sessions: the days of the sessions there were, sorted. Those of the day on which an entry began do not count:
            it may have been written in any of them. It holds to the end of the day of its last session.
    """
    for key in _LAST_DAY:
        if day := _day(parts, key):
            return day
    field = parts.field(_LIFE)
    said = field.value if field else default
    duration = read_duration(said) if said else None
    start = _day(parts, "created") or (parts.date.value if parts.date else None)
    if duration is None or start is None:
        return None
    last = bisect_right(sessions, start) + duration.sessions - 1
    ends = [duration.end(start), sessions[last] if duration.sessions and last < len(sessions) else None]
    return min((end for end in ends if end), default=None)


def _day(parts: Parts, key: str) -> date | None:
    field = parts.field(key)
    found = read_dates(field.value) if field else ()
    return found[0].value if found else None
