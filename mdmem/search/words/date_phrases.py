"""Finds the days that a text names, as «yesterday», 下周三, «in May»; for questions, statements and reminders.

A range without a year (`in May`, 9月) means that of every year. Invalid dates give no range.
"""

# `calendar` is imported for a question that names a month: it loads the locales.
from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from re import Match
from typing import NamedTuple

from mdmem.text.pattern import Pattern, pattern


class DateRanges(NamedTuple):
    """A range of days, both included: `2026-02-13`, or `-02-13` for that day of every year."""

    start: str
    end: str

    def hold(self, day: str) -> bool:
        """Return whether a day (ISO) is in the range."""
        return self.start <= self._in_form(day) <= self.end

    def meet(self, first: str, last: str) -> bool:
        """Return whether any day from the first to the last is in the range."""
        first, last = self._in_form(first), self._in_form(last)
        if first > last:  # across New Year, in a range of every year
            return first <= self.end or self.start <= last
        return first <= self.end and self.start <= last

    def _in_form(self, day: str) -> str:
        return day[4:10] if self.start[0] == "-" else day[:10]


Reader = Callable[[Match[str], date], DateRanges | None]


class DateForm(NamedTuple):
    """One way to write days."""

    pattern: Pattern
    read: Reader
    chinese: bool = False  # a match has Chinese characters, so a text without them needs no such pattern


def _form(source: str, read: Reader) -> DateForm:
    return DateForm(pattern(source), read)


def _chinese_form(source: str, read: Reader) -> DateForm:
    return DateForm(pattern(source), read, chinese=True)


MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERS: dict[str, float] = {
    **{word: number for number, word in enumerate("一二三四五六七八九十", 1)},
    **{word: number for number, word in enumerate(_ENGLISH, 1)},
    "十一": 11, "十二": 12, "两": 2, "几": 3, "半": 0.5,
    "a": 1, "an": 1, "couple": 2, "a couple of": 2, "few": 3, "a few": 3,
}  # fmt: skip
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if name != "may" else name for name in MONTHS)
_PART = {"early": (1, 10), "初": (1, 10), "上旬": (1, 10), "mid": (11, 20), "中旬": (11, 20), "late": (21, 31),
         "底": (21, 31), "末": (21, 31), "下旬": (21, 31)}  # fmt: skip
_ZH_NUMBER = "[一二三四五六七八九]?十?[一二三四五六七八九十]|\\d{1,2}"
_YEARS = {"去年": -1, "今年": 0, "前年": -2, "明年": 1, "last year": -1, "this year": 0, "next year": 1}


def number(text: str) -> float:
    """Parse a small number in digits or words; 0 if it is none."""
    text = text.strip().lower()
    return float(text) if text.isdecimal() else float(_NUMBERS.get(text, 0))


def length(year: int, which: int) -> int:
    """Return the number of days of a month."""
    from calendar import monthrange

    return monthrange(year, which)[1]


def span(first: date, last: date) -> DateRanges:
    """Return the range of two days."""
    return DateRanges(first.isoformat(), last.isoformat())


def month(year: int | None, which: int, first: int = 1, last: int = 31) -> DateRanges | None:
    """Return a month or a part of it; without a year, that of every year."""
    if not 1 <= which <= 12 or not 1 <= first <= 31:
        return None
    if year is None:
        return DateRanges(f"-{which:02}-{first:02}", f"-{which:02}-{last:02}")
    last = min(last, length(year, which))
    return DateRanges(f"{year:04}-{which:02}-{first:02}", f"{year:04}-{which:02}-{last:02}") if first <= last else None


def _dated(match: Match[str], _: date) -> DateRanges | None:
    day = match["day"]
    first, last = (int(day), int(day)) if day else (1, 31)
    return month(int(match["year"]), int(match["month"]), first, last)


def _chinese(match: Match[str], today: date) -> DateRanges | None:
    year_text, which = match["year"], int(number(match["month"]))
    year = None if not year_text else int(year_text) if year_text.isdecimal() else today.year + _YEARS[year_text]
    if match["day"]:
        return month(year, which, int(match["day"]), int(match["day"]))
    return month(year, which, *_PART.get(match["part"] or "", (1, 31)))


def _english(match: Match[str], today: date) -> DateRanges | None:
    which = [name[:3] for name in MONTHS].index(match["month"][:3].lower()) + 1
    year = int(match["year"]) if match["year"] else None
    if (match["rel"] or "").lower() == "last":
        year = today.year - (which >= today.month)
    if day_text := match["d1"] or match["d2"]:
        return month(year, which, int(day_text), int(day_text))
    return month(year, which, *_PART.get((match["part"] or "").lower(), (1, 31)))


def _year(match: Match[str], today: date) -> DateRanges | None:
    year_text = match["year"]
    year = int(year_text) if year_text.isdecimal() else today.year + _YEARS[year_text.lower()]
    first, last = _HALVES.get((match["part"] or "").lower(), (1, 12))
    return span(date(year, first, 1), date(year, last, length(year, last)))


_HALVES = {"上半年": (1, 6), "下半年": (7, 12), "年初": (1, 2), "年底": (11, 12), "春": (3, 5),
           "夏": (6, 8), "秋": (9, 11),
           "spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "early": (1, 3), "late": (10, 12),
           "q1": (1, 3), "q2": (4, 6), "q3": (7, 9), "q4": (10, 12), "第一季度": (1, 3), "第二季度": (4, 6),
           "第三季度": (7, 9), "第四季度": (10, 12)}  # fmt: skip
_HALF_ZH = "上半年|下半年|年初|年底|春|夏|秋|第[一二三四]季度"
_HALF_EN = "spring|summer|autumn|fall|early|late|q[1-4]"
NAMED = (
    _form(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})(?:[-/.](?P<day>\d{1,2}))?(?!\d)", _dated),
    _chinese_form(
        r"(?:(?P<year>(?:19|20)\d\d|去年|今年|前年|明年) ?年? ?)?的?"
        rf"(?<![\d上下个])(?P<month>{_ZH_NUMBER}) ?月(?:份)?"
        r" ?(?:(?P<day>\d{1,2}) ?[日号]|(?P<part>[初底末]|[上中下]旬))?",
        _chinese,
    ),
    _form(
        r"(?i)\b(?:(?P<d1>\d{1,2})(?:st|nd|rd|th)?(?: of)? |(?P<part>early|mid|late)[ -]|(?P<rel>last) )?"
        rf"(?P<month>(?-i:May)|{_MONTH.replace('may|', '')})\b\.?"
        r"(?: (?P<d2>\d{1,2})(?:st|nd|rd|th)?\b(?!\d))?(?:,? (?:of )?(?P<year>(?:19|20)\d\d)\b)?",
        _english,
    ),
    _form(
        rf"(?i)\b(?:(?P<part>{_HALF_EN}) (?:of |in )?)?(?P<year>(?:19|20)\d\d|last year|this year|next year)\b",
        _year,
    ),
    _form(rf"(?P<year>(?:19|20)\d\d|去年|今年|前年|明年) ?年?的?(?P<part>{_HALF_ZH})?", _year),
)


class Taken:
    """The spans of a text that were already read; they do not overlap."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Add a free span."""
        at = bisect_left(self._starts, start)
        self._starts.insert(at, start)
        self._ends.insert(at, end)

    def is_free(self, start: int, end: int) -> bool:
        """Return True if no taken span overlaps this one."""
        at = bisect_left(self._starts, end)
        return at == 0 or self._ends[at - 1] <= start


def named_days(text: str, today: date, taken: Taken) -> Iterator[tuple[int, int, DateRanges]]:
    """Yield dates, months and years as (start, end, days); the more exact first, without overlaps."""
    return read_forms(NAMED, text, today, taken)


def read_forms(
    forms: Sequence[DateForm], text: str, today: date, taken: Taken
) -> Iterator[tuple[int, int, DateRanges]]:
    """Yield the matches of some forms as (start, end, days), the earlier forms first, and take their spans."""
    for form in forms:
        for match in () if form.chinese and text.isascii() else form.pattern.finditer(text):
            start, end = match.span()
            if taken.is_free(start, end) and (found := _read(form, match, today)):
                taken.add(start, end)
                yield start, end, found


def _read(form: DateForm, match: Match[str], today: date) -> DateRanges | None:
    """Return the days of a match; None if the calendar does not have them."""
    try:
        return form.read(match, today)
    except (OverflowError, ValueError):  # a day before the year 1 or after the year 9999
        return None


def monday(day: date) -> date:
    """Return the Monday of a day's week."""
    return day - timedelta(days=day.weekday())


_DAYS = {
    "今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "昨晚": -1, "前天": -2, "大前天": -3,
    "明天": 1, "后天": 2, "刚才": 0, "刚刚": 0,
    "today": 0, "tonight": 0, "yesterday": -1, "last night": -1, "the day before yesterday": -2, "tomorrow": 1,
    "this morning": 0,
}  # fmt: skip
_WHICH = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
_WEEKDAYS = {**dict(zip("一二三四五六日", range(7), strict=True)), "天": 6}
_ENGLISH_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_UNITS = {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "个星期": 7, "个礼拜": 7, "个月": 30, "月": 30, "年": 365,
          "day": 1, "week": 7, "month": 30, "year": 365}  # fmt: skip
_COUNT = r"[一二两三四五六七八九十几半]|\d{1,3}"
_COUNTED = r"a couple of|a few|few|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}"


def _day(match: Match[str], today: date) -> DateRanges:
    day = today + timedelta(days=_DAYS[match.group().lower()])
    return span(day, day)


def _week(match: Match[str], today: date) -> DateRanges:
    first = monday(today) + timedelta(weeks=_WHICH[match["which"].lower()])
    day_text = match["day"] or ""
    if day_text in ("末", "weekend"):
        return span(first + timedelta(days=5), first + timedelta(days=6))
    if day_text in _WEEKDAYS:
        return span(*[first + timedelta(days=_WEEKDAYS[day_text])] * 2)
    return span(first, first + timedelta(days=6))


def _weekday(match: Match[str], today: date) -> DateRanges:
    """Return the last such weekday; with «next», the coming one."""
    behind = (today.weekday() - _ENGLISH_WEEKDAYS.index(match["day"].lower())) % 7
    which = (match["which"] or "").lower()
    day = today + timedelta(days=7 - behind) if which == "next" else today - timedelta(days=behind or 7)
    return span(day, day)


def _month(match: Match[str], today: date) -> DateRanges:
    months = today.year * 12 + today.month - 1 + _WHICH[match["which"].lower()]
    year, which = months // 12, months % 12 + 1
    return span(date(year, which, 1), date(year, which, length(year, which)))


def _ago(match: Match[str], today: date) -> DateRanges | None:
    """Return the days around `three weeks ago`: the longer ago, the wider; days are exact."""
    unit = _UNITS[match["unit"].lower()]
    back = round(number(match["count"]) * unit)
    slack = min(unit // 2, back // 4)
    if not back or back > today.toordinal() - 400:
        return None
    day = today - timedelta(days=back)
    return span(day - timedelta(days=slack), min(today, day + timedelta(days=slack)))


def _within(match: Match[str], today: date) -> DateRanges | None:
    back = round(number(match["count"]) * _UNITS[match["unit"].lower()])
    return span(today - timedelta(days=back), today) if 0 < back < today.toordinal() else None


_LATELY = pattern(r"最近|这几天|前几天|近来|近期|(?i:\b(?:recently|lately|these days|the other day)\b)")
_UNIT_ZH = "天|日|周|星期|礼拜|个星期|个礼拜|个月|年"
_FORMS = (
    _chinese_form(rf"(?:最近|过去|近)(?:的)?(?P<count>{_COUNT}) ?(?P<unit>{_UNIT_ZH})(?!前)", _within),
    _form(rf"(?i)\b(?:the )?(?:last|past) (?P<count>{_COUNTED}) (?P<unit>day|week|month|year)s?\b", _within),
    _chinese_form(rf"(?P<count>{_COUNT}) ?(?P<unit>{_UNIT_ZH}) ?(?:之?前|以前)", _ago),
    _form(rf"(?i)\b(?P<count>{_COUNTED}) (?P<unit>day|week|month|year)s? (?:ago|back)\b", _ago),
    _chinese_form(r"(?P<which>上上|上|这|本|下)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?", _week),
    _form(r"(?i)\b(?P<which>last|past|previous|this|next) (?:week|(?P<day>weekend))\b", _week),
    _chinese_form(r"(?P<which>上上|上|这|本|下)个?月", _month),
    _form(r"(?i)\b(?P<which>last|past|previous|this|next) month\b", _month),
    _form(rf"(?i)\b(?:(?P<which>last|this|next|on) )(?P<day>{'|'.join(_ENGLISH_WEEKDAYS)})\b", _weekday),
    _chinese_form("大前天|前天|昨天|昨日|昨晚|今天|今日|明天|后天|刚才|刚刚", _day),
    _form(r"(?i)\b(?:the day before yesterday|yesterday|today|tonight|tomorrow|last night|this morning)\b", _day),
)  # fmt: skip


_EQUAL = str.maketrans({"ſ": "s", "ı": "i", "İ": "I", "\u212a": "K"})  # letters that a pattern takes for ASCII ones


def read_days(text: str, today: date, recently: int) -> tuple[DateRanges, ...]:
    """Return the ranges of days that a question names, in order; `recently` is the number of days of «recently»."""
    text = text.translate(_EQUAL)
    found = _named(text, today)
    if not found and _LATELY.search(text):  # beside a date it adds nothing
        back = min(recently, today.toordinal() - 1)  # not before the first possible date
        found.append((0, 0, span(today - timedelta(days=back), today)))
    return tuple(dict.fromkeys(days for _, _, days in sorted(found)))


def phrase_days(phrase: str, today: date) -> DateRanges | None:
    """Return the days that a phrase means, such as `last week`; None if it is none, or says more than that."""
    text = phrase.strip().translate(_EQUAL)
    found = _named(text, today)
    return found[0][2] if len(found) == 1 and found[0][:2] == (0, len(text)) else None


def stated_days(text: str, today: date) -> list[tuple[str, DateRanges]]:
    """Return the phrases of a text that name days, in order, with the days; «lately» is none."""
    text = text.translate(_EQUAL)
    return [(text[start:end].strip(), days) for start, end, days in sorted(_named(text, today))]


def _named(text: str, today: date) -> list[tuple[int, int, DateRanges]]:
    taken = Taken()
    return [*named_days(text, today, taken), *read_forms(_FORMS, text, today, taken)]
