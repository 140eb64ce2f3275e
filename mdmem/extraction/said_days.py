"""Return the full date of relative dates in a statement: `next Wednesday`, 下个月, `in June`."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Literal, TypeAlias

from mdmem.search.words.date_phrases import DateRanges, length, span, stated_days
from mdmem.text.pattern import pattern

Tense: TypeAlias = Literal["", "past", "coming"]

_ENGLISH = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_NAMES = "|".join(_ENGLISH)
_NUMBERS = {name: at for names in (_ENGLISH, "一二三四五六日") for at, name in enumerate(names)} | {"天": 6}
_WEEKDAY = pattern(
    rf"(?i)(?<!next )(?<!last )(?<!\w)(?:on |this |coming )?(?P<name>{_NAMES})\b"
    r"|(?<![上下隔个])(?:周|星期|礼拜)(?P<sign>[一二三四五六日天])"
)
_BARE = pattern(rf"(?i)(?:on|this) (?:{_NAMES})")  # for a search it is the last one
_OFTEN = pattern(rf"(?i)\b(?:every|each|other)\b|[每隔]|\b(?:{_NAMES})s\b")
_YEAR = pattern(r"(?:19|20)\d\d")
_WEEK = 7
_MONTH_ENDS = "-31"  # of a month of every year


def said_days(text: str, said: date, tense: Tense) -> str:
    """Return the day, week, month or year that a statement means; empty if it names none, several, or its year too.

    Args:
        text: the statement.
        said: the day on which it was said.
        tense: whether what it tells is past or to come; empty for what has no time.
    """
    if not tense or _OFTEN.search(text) or _YEAR.search(text):
        return ""
    found = [days for phrase, days in stated_days(text, said) if not _BARE.fullmatch(phrase)]
    if not found and (weekday := _WEEKDAY.search(text)):
        found = [_nearest(_NUMBERS[(weekday["name"] or weekday["sign"]).lower()], said, tense)]
    return _written(found[0], said, tense) if len(found) == 1 else ""


def _nearest(which: int, said: date, tense: Tense) -> DateRanges:
    if tense == "coming":
        day = said + timedelta(days=(which - said.weekday()) % _WEEK or _WEEK)
    else:
        day = said - timedelta(days=(said.weekday() - which) % _WEEK or _WEEK)
    return span(day, day)


def _written(days: DateRanges, said: date, tense: Tense) -> str:
    """Return a day, a week, a month or a year as it is written; empty for anything between."""
    start, end = days
    if start.startswith("-"):
        year = said.year
        if tense == "coming" and f"{year}{end}" < said.isoformat():
            year += 1
        if tense == "past" and f"{year}{start}" > said.isoformat():
            year -= 1
        if end.endswith(_MONTH_ENDS):
            end = f"{end[:4]}{length(year, int(end[1:3]))}"
        start, end = f"{year}{start}", f"{year}{end}"
    first, last = _day(start), _day(end)
    if first is None or last is None:
        return ""
    if first == last:
        return start
    if (first.day, last.day) == (1, length(last.year, last.month)):
        if start[:7] == end[:7]:
            return start[:7]
        return start[:4] if (first.month, last.month, first.year) == (1, 12, last.year) else ""
    return f"{start} – {end}" if (last - first).days < _WEEK else ""


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text)
    except ValueError:  # 29 February of another year
        return None
