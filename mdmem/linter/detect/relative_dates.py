"""Finds relative dates, such as «tomorrow», and whether an entry has a date from which they count."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.rule import RuleEntry, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec"
)
_DATED = pattern(
    r"(?<!\d)(?:19|20)\d\d(?:[-/.]\d{1,2}(?!\d)|\s?年|[01]\d[0-3]\d(?!\d))|(?<!\d)\d{1,2}\s?月\s?\d{1,2}\s?[日号]"
    rf"|\b(?:{_MONTHS})\.? \d{{1,2}}\b|\b\d{{1,2}}(?:st|nd|rd|th)? (?:{_MONTHS})\b"
)
# «since 2024» tells how old a memory is, but nothing counts «next week» from it
_IN_YEAR = pattern(
    r"\b(?:since|in|until|till|from|by|during|before|after|early|late|mid|of|seit|depuis|desde|en|im)[ -]"
    r"(?:19|20)\d\d(?![\d.-])",
    re.IGNORECASE,
)
_LONGEST_MONTH = 31
_MOST_DAYS = {"feb": 29, "apr": 30, "jun": 30, "sep": 30, "nov": 30}
_DAY_OF_MONTH = pattern(
    rf"\b(?:(?P<before>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTHS})"
    rf"|(?P<named>{_MONTHS})\.? (?P<behind>\d{{1,2}}))"
    r"(?:st|nd|rd|th)?\b(?:,? (?P<year>(?:19|20)\d\d)\b)?"
)
_DIGIT = pattern(r"\d")
_QUOTED = pattern('“[^”]{0,200}”|‘[^’]{0,200}’|「[^」]{0,200}」|『[^』]{0,200}』|《[^》]{0,200}》|"[^"]{0,200}"')
_DAY = "[一二三四五六日天]"
_WEEKDAY = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_WHEN = (
    "(?:week|weekend|month|quarter|year|night|morning|afternoon|evening|spring|summer|autumn|fall|winter"
    rf"|{_WEEKDAY}|{_MONTHS})"
)
# Chinese has no spaces: 说明天数, 如今天气, 失去年轻, 以前天天, 以下周期 contain no dates.
_EASTERN = pattern(
    "[今明昨去前后上下这本先来一](?:"
    r"(?<=今)(?<![如当现]今)(?:天|晚|早|晨|年(?!轻)|日(?!头条|说法|资本)|週|月)"
    r"|(?<=明)(?<![说文证声聪发表透光照分]明)(?:天|晚|早|晨|年(?!份)|日(?!期|志|程|方舟|之后|香|之子|黄花)|後日)"
    r"|(?<=昨)(?:天|晚|夜|日(?!重现))"
    r"|(?<=去)(?<![失过]去)年(?![轻龄代])"
    r"|(?<=前)(?<![以之目年]前)(?:天|年(?![轻度]))"
    r"|(?<=后)(?<![以之今最然]后)天(?!性|习得|养成|失调|培养)"
    rf"|(?<=[上下这本])(?<![早晚以].)(?:一?个)?(?:(?:周(?![期边转围长密])|星期|礼拜)(?:{_DAY}|末)?|月(?![\d份球光亮饼]))"
    r"|(?<=[先来])週|(?<=先)月|(?<=来)(?:月(?!经)|(?<![未原本以]来)年(?![轻度]))|(?<=一)昨日)"
)
_ENGLISH = pattern(
    rf"\b(?:(?<!USA )today|tonight|tomorrow|yesterday|(?:last|next|this|coming) {_WHEN}"
    r"|(?:\d+|an?|one|two|three|four|five|six|seven|a few|several) (?:hour|day|week|month|year)s? ago)\b",
    re.IGNORECASE,
)
_ENGLISH_HINTS = ("today", "tonight", "tomorrow", "yesterday", "last ", "next ", "this ", "coming ", " ago")
# A weekday alone is a date («周五有面试») unless the entry is about a habit.
_WEEKDAYS = pattern(
    rf"(?<![一两二三四几每上下这本隔半逢各到至个\d~-])(?:周|星期|礼拜){_DAY}(?![一二三四五六日天次到至~-])"
    rf"|[月火水木金土日]曜日?|\b(?:on|by|until|before|after|due) {_WEEKDAY}\b",
    re.IGNORECASE,
)
_WEEKDAY_HINTS = ("周", "星期", "礼拜", "曜", "day")
_HABIT = pattern(
    r"每|逢|通常|总是|经常|毎|いつも|たび|ごと|\b(?:every|each|usually|always|often|typically|regularly)\b",
    re.IGNORECASE,
)
# A rule or a form speaks of whatever day it is read: «read today + yesterday», «the footer is today's date».
_ANY_DAY = pattern(
    r"\btoday['’]?s\s(?:date|daily|note|log|file)\b|\btoday\s?[+/]\s?yesterday\b|YYYY[-_/.]?MM|今[天日]的?日期|今[天日]\s?[-+]\s?\d"
    r"|今[天日]\s?[+/和]\s?昨[天日]的?(?:日志|日誌|记录|筆記|笔记|日记)|今日の日付|오늘\s?날짜",
    re.IGNORECASE,
)
_BLANK = pattern(r"<[^<>\n]{1,200}>")  # a field of a form that is still to be filled in
_LIKING = pattern(r"一般|习惯|喜欢|都|\b(?:generally|never|prefers?|likes?)\b", re.IGNORECASE)


def relative(text: str) -> Span | None:
    """Return the span of the first words whose day depends on when they were written.

    Quotations, habits and the fields of a form do not count: «asks every morning for today's weather».
    """
    unquoted = _QUOTED.sub(lambda one: "\n" * len(one.group()), text)
    if "<" in unquoted:
        unquoted = _BLANK.sub(lambda one: "\n" * len(one.group()), unquoted)
    lower = unquoted.lower()
    match = _EASTERN.search(unquoted)
    if match is None and any(hint in lower for hint in _ENGLISH_HINTS):
        match = _ENGLISH.search(unquoted)
    if match is None and any(hint in lower for hint in _WEEKDAY_HINTS) and not _LIKING.search(unquoted):
        match = _WEEKDAYS.search(unquoted)
    return Span(*match.span()) if match and not _HABIT.search(unquoted) else None


def names_any_day(text: str) -> bool:
    """Return whether a text is a rule for each day, and not about one: it names a date by its form."""
    return _ANY_DAY.search(text) is not None


def names_year(text: str) -> bool:
    """Return whether a text says in words since or in which year something is so."""
    return _DIGIT.search(text) is not None and _IN_YEAR.search(text) is not None


def impossible_days(text: str) -> Iterator[Span]:
    """Yield the English days that no year has, such as `31 April`, and `February 29, 2026`."""
    if not any(day in text for day in ("29", "30", "31")):
        return
    for match in _DAY_OF_MONTH.finditer(text):
        month, year = (match["month"] or match["named"])[:3].lower(), match["year"]
        is_short = month == "feb" and year is not None and not _is_leap(int(year))
        most = 28 if is_short else _MOST_DAYS.get(month, _LONGEST_MONTH)
        if most < int(match["before"] or match["behind"]) <= _LONGEST_MONTH:
            yield Span(*match.span())


def _is_leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)  # `calendar` would load `locale`, 50 ms


def undated(subject: Subject) -> Iterator[RuleEntry]:
    """Yield the outermost entries that should have a date, but have none of their own, in headings or file name."""
    if not any(item.rule.dated for item in subject.items) or is_dated(subject.name):
        return
    dated: list[bool] = []
    dated_headings: dict[int, bool] = {}
    for section in subject.document.sections:
        is_parent_dated = section.parent is not None and dated[section.parent]
        dated.append(is_parent_dated or is_dated(section.title))
        dated_headings[section.heading.start] = dated[-1]
    for item in subject.items:
        is_section_dated = item.section is not None and dated_headings[item.section.heading.start]
        if item.rule.dated and not (
            item.entry.depth or is_section_dated or item.parts.date or is_dated(item.entry.text)
        ):
            yield item


def is_dated(text: str) -> bool:
    """Return whether a text contains a day, a month or a year in full."""
    return _DIGIT.search(text) is not None and _DATED.search(text) is not None
