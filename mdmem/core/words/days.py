"""Dates as terms: however a day is written, it is found by the day, its month, its year, and the day of any year."""

from __future__ import annotations

import re
from functools import lru_cache

from mdmem.core.pattern import Pattern, pattern

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
    r"(?P<y>[12](?<![A-Za-z\d_.-][12])[09]\d\d)(?P<sep>[-/.])(?P<m>\d{1,2})(?:(?P=sep)(?P<d>\d{1,2}))?(?![\d-]|[./]\d)"
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


def without_days(text: str, found: list[str]) -> str:
    """Take the dates out of a folded text that holds digits, and add their terms to those found."""
    spans = [(*match.span(), _ISO) for match in _ISO.finditer(text)]
    if not text.isascii() and "月" in text:
        spans += [(*match.span(), _CHINESE) for match in _CHINESE.finditer(text)]
    if _ANY_MONTH.search(text.lower()):
        spans += [(*match.span(), one) for one in (_DAY_FIRST, _MONTH_FIRST) for match in one.finditer(text)]
    if len(spans) > 1:
        spans.sort(key=_place)
    pieces, last = [], 0
    for start, end, form in spans:
        terms = _read(text[start:end], form) if start >= last else ()
        if terms:
            pieces.append(text[last:start])
            found += terms
            last = end
    return " ".join((*pieces, text[last:])) if last else text


def _place(span: tuple[int, int, Pattern]) -> tuple[int, int]:
    return span[0], -span[1]


@lru_cache(maxsize=20_000)
def _read(said: str, form: Pattern) -> tuple[str, ...]:
    """Give the terms of a date that is written in a form; nothing where it is none."""
    match = form.fullmatch(said)
    if match is None:
        return ()
    found = match.groupdict()
    month, day = _month(found["m"]), found["d"]
    if not month or (day is not None and not 1 <= int(day) <= 31):
        return ()
    if day is None and found.get("sep") == ".":
        return ()  # 2026.1 is a version
    signs = [char for char in said if char in _SIGNS]
    return (*signs, *_terms(found["y"] or found.get("y2"), month, day))


def _month(said: str) -> int:
    number = int(said) if said.isdecimal() else _MONTHS.index(said[:3].lower()) + 1
    return number if 1 <= number <= 12 else 0


def _terms(year: str | None, month: int, day: str | None) -> list[str]:
    found = [f"month-{month:02}"]
    if year:
        found += [year, f"{year}-{month:02}"]
    if day:
        found.append(f"{month:02}-{int(day):02}")
    if year and day:
        found.append(f"{year}-{month:02}-{int(day):02}")
    return found
