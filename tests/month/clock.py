"""A clock that stands on the days of the month, for as long as it is in force."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

_REAL = dt.datetime


class MonthClock:
    """Says what time it is; the hands are moved by hand, and go on by themselves between."""

    def __init__(self) -> None:
        self._shift = dt.timedelta()

    def set(self, day: dt.date, hour: int = 9) -> None:
        """Put the clock on an hour of a day."""
        self._shift = _REAL(day.year, day.month, day.day, hour) - _REAL.now()

    def now(self, zone: dt.tzinfo | None = None) -> dt.datetime:
        """Return the time that it shows."""
        return _REAL.now(zone) + self._shift


class _KnowsRealMoments(type):
    def __instancecheck__(cls, one: object) -> bool:
        return isinstance(one, _REAL)


@contextmanager
def month_clock() -> Iterator[MonthClock]:
    """Let `datetime.datetime.now` tell the time of a clock."""
    clock = MonthClock()

    class _Datetime(_REAL, metaclass=_KnowsRealMoments):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return clock.now(tz)

    with mock.patch.object(dt, "datetime", _Datetime):
        yield clock
