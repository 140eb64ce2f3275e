"""Parses durations: `7d`, `24h`, `2w`, `3m`, `1y`, `30s` (sessions), ISO `P7D`; for `7d or 30s` the earlier end counts.

Hours are rounded up to days, because memories are dated by days; `m` is months, because no memory expires within
minutes. Sessions cannot be counted from one file: they are parsed here and counted by the caller.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

from mdmem.text.pattern import pattern

_ISO = pattern(
    r"P(?=[\dT])(?:(\d{1,4})Y)?(?:(\d{1,5})M)?(?:(\d{1,5})W)?(?:(\d{1,6})D)?"
    r"(?:T(?=\d)(?:(\d{1,7})H)?(?:\d{1,9}M)?(?:\d{1,9}S)?)?\Z",
    re.IGNORECASE,
)
_PLAIN = pattern(r"(\d{1,6})\s*([a-z]{1,8}|个月|小时|次会话|[天日周月年])\Z", re.IGNORECASE)
_OR = pattern(r"\s+or\s+|\s*[,，|/或]\s*", re.IGNORECASE)
_UNITS = {
    "h": "hours", "hour": "hours", "hours": "hours", "小时": "hours",
    "d": "days", "day": "days", "days": "days", "天": "days", "日": "days",
    "w": "weeks", "week": "weeks", "weeks": "weeks", "周": "weeks",
    "m": "months", "month": "months", "months": "months", "月": "months", "个月": "months",
    "y": "years", "year": "years", "years": "years", "年": "years",
    "s": "sessions", "session": "sessions", "sessions": "sessions", "次会话": "sessions",
}  # fmt: skip


class Duration(NamedTuple):
    """A time to live: calendar months and days, or sessions; 0 means not limited by this unit."""

    months: int = 0
    days: int = 0
    sessions: int = 0

    def end(self, start: date) -> date | None:
        """Return the last day that it covers; None if only sessions count."""
        if not self.months and not self.days:
            return None
        from calendar import monthrange

        month = start.month - 1 + self.months
        year = start.year + month // 12
        if year > date.max.year:
            return date.max
        day = min(start.day, monthrange(year, month % 12 + 1)[1])
        try:
            return date(year, month % 12 + 1, day) + timedelta(days=self.days)
        except OverflowError:
            return date.max


def read_duration(text: str) -> Duration | None:
    """Parse a duration, or alternatives joined by «or»; None if the text is not a duration."""
    total = Duration()
    for word in _OR.split(text.strip()[:80]):
        one = _iso(word) or _plain(word)
        if one is None or any(own and other for own, other in zip(total, one, strict=True)):
            return None
        total = Duration(*(own + other for own, other in zip(total, one, strict=True)))
    return total


def _iso(word: str) -> Duration | None:
    match = _ISO.match(word)
    if not match:
        return None
    years, months, weeks, days, hours = (int(group or 0) for group in match.groups())
    some = Duration(12 * years + months, 7 * weeks + days + -(-hours // 24))
    if any(some):
        return some
    return Duration(days=1) if "T" in word.upper() else None  # minutes and seconds end within the day


def _plain(word: str) -> Duration | None:
    match = _PLAIN.match(word)
    unit = _UNITS.get(match.group(2).lower()) if match else None
    if match is None or unit is None or not int(match.group(1)):
        return None
    number = int(match.group(1))
    return {
        "hours": Duration(days=-(-number // 24)),
        "days": Duration(days=number),
        "weeks": Duration(days=7 * number),
        "months": Duration(months=number),
        "years": Duration(months=12 * number),
        "sessions": Duration(sessions=number),
    }[unit]
