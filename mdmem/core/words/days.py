"""Dates as terms: however a day is written, it is found by the day, its month, its year, and the day of any year."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from mdmem.core.pattern import pattern

_SIGNS = frozenset("年月日号")  # who looks for one of these finds the days written with it
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAME = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_YEAR = r"(?P<y>(?:19|20)\d\d)(?!\d)"
_ANY_MONTH = pattern("|".join(_MONTHS))
# the first character stands in front of each look-behind, so that a search skips what cannot begin a date
_ISO = pattern(
    r"(?P<y>[12](?<![\d.-][12])[09]\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?:(?P=sep)(?P<d>\d{1,2}))?(?![\d-]|[./]\d)"
)
_CHINESE = pattern(r"(?:(?P<y>\d{4}) ?年 ?)?(?P<m>\d{1,2}) ?月(?: ?(?P<d>\d{1,2}) ?[日号])?")
_DAY_FIRST = pattern(
    rf"(?P<d>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<m>{_NAME})(?:,? {_YEAR})?(?![a-z\d])", re.IGNORECASE
)
_MONTH_FIRST = pattern(
    rf"(?<![a-z\d])(?P<m>{_NAME})"
    rf"(?: (?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,? {_YEAR})?|,? (?P<y2>(?:19|20)\d\d))(?![a-z\d])",
    re.IGNORECASE,
)


def day_terms(text: str) -> Iterator[tuple[int, int, list[str]]]:
    """Find dates in a folded text that holds digits: where one starts and ends, and its terms."""
    matches = list(_ISO.finditer(text))
    if not text.isascii() and "月" in text:
        matches += _CHINESE.finditer(text)
    if _ANY_MONTH.search(text.lower()):
        matches += (*_DAY_FIRST.finditer(text), *_MONTH_FIRST.finditer(text))
    last = 0
    for match in sorted(matches, key=_place):
        found = match.groupdict()
        month, day = _month(found["m"]), found["d"]
        if match.start() >= last and month and (day is None or 1 <= int(day) <= 31):
            signs = [char for char in match.group() if char in _SIGNS]
            last = match.end()
            yield match.start(), last, signs + _terms(found["y"] or found.get("y2"), month, day)


def _place(match: re.Match[str]) -> tuple[int, int]:
    return match.start(), -match.end()


def _month(said: str) -> int:
    number = int(said) if said.isdecimal() else _MONTHS.index(said[:3].lower()) + 1
    return number if 1 <= number <= 12 else 0


@lru_cache(maxsize=10_000)
def _terms(year: str | None, month: int, day: str | None) -> list[str]:
    found = [f"month-{month:02}"]
    if year:
        found += [year, f"{year}-{month:02}"]
    if day:
        found.append(f"{month:02}-{int(day):02}")
    if year and day:
        found.append(f"{year}-{month:02}-{int(day):02}")
    return found
