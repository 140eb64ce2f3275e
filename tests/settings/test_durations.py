"""Durations as people and agents write them."""

from __future__ import annotations

import datetime as dt
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.formats.limits import last_day
from mdmem.settings.durations import Duration, read_duration
from mdmem.text.entry import read_entry

START = date(2026, 1, 31)


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("7d", date(2026, 2, 7)),
        ("24h", date(2026, 2, 1)),
        ("25h", date(2026, 2, 2)),
        ("2w", date(2026, 2, 14)),
        ("3m", date(2026, 4, 30)),
        ("1m", date(2026, 2, 28)),
        ("1y", date(2027, 1, 31)),
        ("P7D", date(2026, 2, 7)),
        ("p1m", date(2026, 2, 28)),
        ("P1DT12H", date(2026, 2, 2)),
        ("PT30M", date(2026, 2, 1)),
        ("7 days", date(2026, 2, 7)),
        ("7天", date(2026, 2, 7)),
        ("2周", date(2026, 2, 14)),
        ("7d or 30s", date(2026, 2, 7)),
        ("P7973Y999999D", date.max),
        ("9999y", date.max),
    ],
)
def test_the_last_day_that_is_covered(text: str, last: date) -> None:
    found = read_duration(text)
    assert found is not None
    assert found.end(START) == last


def test_sessions_have_no_last_day() -> None:
    assert read_duration("30s") == Duration(sessions=30)
    assert Duration(sessions=30).end(START) is None
    assert read_duration("7d or 30s") == Duration(days=7, sessions=30)


@pytest.mark.parametrize(
    "text", ["", "soon", "7", "d", "0d", "-7d", "7x", "P", "PT", "7d or", "7d or 8d", "P0D", "٧d days"]
)
def test_what_is_no_duration(text: str) -> None:
    assert read_duration(text) is None


@given(st.text(), st.dates())
def test_any_text_is_read_or_refused(text: str, start: date) -> None:
    found = read_duration(text)
    assert found is None or (found.end(start) or start) >= start


DAY = dt.date(2026, 2, 1)
DAYS = st.lists(st.integers(-5, 40).map(lambda number: DAY + dt.timedelta(days=number)), max_size=30).map(sorted)


@given(sessions=DAYS, number=st.integers(1, 9), days=st.none() | st.integers(1, 30))
def test_so_many_sessions_later_and_no_day_sooner(sessions: list[dt.date], number: int, days: int | None) -> None:
    ttl = f"{number} sessions" + (f" or {days}d" if days else "")
    last = last_day(read_entry(f"甲 [created:: {DAY}] [ttl:: {ttl}]"), sessions=sessions)
    later = [day for day in sessions if day > DAY]
    ends = [DAY + dt.timedelta(days=days)] if days else []
    ends += later[number - 1 : number]
    assert last == min(ends, default=None)


def test_one_session_less_holds_on() -> None:
    sessions = [DAY, *(DAY + dt.timedelta(days=one) for one in (1, 2))]
    entry = read_entry(f"甲 [created:: {DAY}] [ttl:: 3 sessions]")
    assert last_day(entry, sessions=sessions) is None
    assert last_day(entry, sessions=[*sessions, DAY + dt.timedelta(days=9)]) == DAY + dt.timedelta(days=9)
    assert last_day(read_entry("乙 [ttl:: 3 sessions]"), sessions=sessions) is None, "nobody knows when it began"
