"""Until when an entry holds: its last day, by the calendar or by the sessions there were, whichever comes first."""

from __future__ import annotations

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from mdmem.formats.limits import last_day
from mdmem.text.entry import read_entry

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
