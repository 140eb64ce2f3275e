"""How long ago: «上周», «三天前», `last Friday`, `two weeks ago`, as ranges of days seen from `today`."""

from __future__ import annotations

from datetime import date, timedelta
from re import Match

from mdmem.core.pattern import Pattern, pattern
from mdmem.recall.days import Days, Reader, Taken, length, monday, named_days, number, read_forms, span

_DAYS = {
    "今天": 0, "今日": 0, "昨天": -1, "昨日": -1, "昨晚": -1, "前天": -2, "大前天": -3,
    "明天": 1, "后天": 2, "刚才": 0, "刚刚": 0,
    "today": 0, "tonight": 0, "yesterday": -1, "last night": -1, "the day before yesterday": -2, "tomorrow": 1,
    "this morning": 0,
}  # fmt: skip
_WHICH = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "last": -1, "past": -1, "previous": -1, "this": 0, "next": 1}
_WEEKDAYS = {**dict(zip("一二三四五六日", range(7), strict=True)), "天": 6}
_ENGLISH = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_UNITS = {"天": 1, "日": 1, "周": 7, "星期": 7, "礼拜": 7, "个星期": 7, "个礼拜": 7, "个月": 30, "月": 30, "年": 365,
          "day": 1, "week": 7, "month": 30, "year": 365}  # fmt: skip
_COUNT = r"[一二两三四五六七八九十几半]|\d{1,3}"
_COUNTED = r"a couple of|a few|few|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d{1,3}"


def _day(match: Match[str], today: date) -> Days:
    day = today + timedelta(days=_DAYS[match.group().lower()])
    return span(day, day)


def _week(match: Match[str], today: date) -> Days:
    first = monday(today) + timedelta(weeks=_WHICH[match["which"].lower()])
    said = match["day"] or ""
    if said in ("末", "weekend"):
        return span(first + timedelta(days=5), first + timedelta(days=6))
    if said in _WEEKDAYS:
        return span(*[first + timedelta(days=_WEEKDAYS[said])] * 2)
    return span(first, first + timedelta(days=6))


def _weekday(match: Match[str], today: date) -> Days:
    """Take a bare weekday, or the last one, for the one that was; the next for the one to come."""
    behind = (today.weekday() - _ENGLISH.index(match["day"].lower())) % 7
    which = (match["which"] or "").lower()
    day = today + timedelta(days=7 - behind) if which == "next" else today - timedelta(days=behind or 7)
    return span(day, day)


def _month(match: Match[str], today: date) -> Days:
    months = today.year * 12 + today.month - 1 + _WHICH[match["which"].lower()]
    year, which = months // 12, months % 12 + 1
    return span(date(year, which, 1), date(year, which, length(year, which)))


def _ago(match: Match[str], today: date) -> Days | None:
    """Take `three weeks ago` for about then: the longer ago, the less exactly; days are counted."""
    unit = _UNITS[match["unit"].lower()]
    back = round(number(match["count"]) * unit)
    slack = min(unit // 2, back // 4)
    if not back or back > today.toordinal() - 400:
        return None
    day = today - timedelta(days=back)
    return span(day - timedelta(days=slack), min(today, day + timedelta(days=slack)))


def _within(match: Match[str], today: date) -> Days | None:
    back = round(number(match["count"]) * _UNITS[match["unit"].lower()])
    return span(today - timedelta(days=back), today) if 0 < back < today.toordinal() else None


_LATELY = pattern(r"最近|这几天|前几天|近来|近期|(?i:\b(?:recently|lately|these days|the other day)\b)")
_UNIT_ZH = "天|日|周|星期|礼拜|个星期|个礼拜|个月|年"
_FORMS: tuple[tuple[Pattern, Reader], ...] = (
    (pattern(rf"(?:最近|过去|近)(?:的)?(?P<count>{_COUNT}) ?(?P<unit>{_UNIT_ZH})(?!前)"), _within),
    (pattern(rf"(?i)\b(?:the )?(?:last|past) (?P<count>{_COUNTED}) (?P<unit>day|week|month|year)s?\b"), _within),
    (pattern(rf"(?P<count>{_COUNT}) ?(?P<unit>{_UNIT_ZH}) ?(?:之?前|以前)"), _ago),
    (pattern(rf"(?i)\b(?P<count>{_COUNTED}) (?P<unit>day|week|month|year)s? (?:ago|back)\b"), _ago),
    (pattern(r"(?P<which>上上|上|这|本|下)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])?"), _week),
    (pattern(r"(?i)\b(?P<which>last|past|previous|this|next) (?:week|(?P<day>weekend))\b"), _week),
    (pattern(r"(?P<which>上上|上|这|本|下)个?月"), _month),
    (pattern(r"(?i)\b(?P<which>last|past|previous|this|next) month\b"), _month),
    (pattern(rf"(?i)\b(?:(?P<which>last|this|next|on) )(?P<day>{'|'.join(_ENGLISH)})\b"), _weekday),
    (pattern("大前天|前天|昨天|昨日|昨晚|今天|今日|明天|后天|刚才|刚刚"), _day),
    (pattern(r"(?i)\b(?:the day before yesterday|yesterday|today|tonight|tomorrow|last night|this morning)\b"), _day),
)  # fmt: skip


def read_days(text: str, today: date, recently: int) -> tuple[Days, ...]:
    """Find the ranges of days that a question names, in its order; «recently» means so many days."""
    taken = Taken()
    found = [*named_days(text, today, taken), *read_forms(_FORMS, text, today, taken)]
    if not found and _LATELY.search(text):  # beside a date it says nothing
        back = min(recently, today.toordinal() - 1)  # no further than there are days
        found.append((0, 0, span(today - timedelta(days=back), today)))
    return tuple(dict.fromkeys(days for _, _, days in sorted(found)))
