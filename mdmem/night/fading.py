"""Decide which facts fade: the score of a short-term fact, and the age of a transient one. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Literal, TypeAlias

Age: TypeAlias = Literal["over", "young", "unsure"]


def score(importance: float, decay_rate: float, days: int) -> float:
    """Return what a short-term fact is worth after so many days without access (K146)."""
    return float(importance * (1 - decay_rate) ** max(0, days))


def is_faded(importance: float, decay_rate: float, days: int, accesses: int, numbers: Mapping[str, float]) -> bool:
    """Return True if a short-term fact is worth too little and was asked for too rarely (K147)."""
    least, most = numbers.get("archive_below", 0.0), numbers.get("archive_accesses", 0.0)
    return score(importance, decay_rate, days) < least and accesses < most


def age(day: dt.date, now: dt.datetime, hours: float) -> Age:
    """Return whether something that was written on a day is older than so many hours; the day may leave it open."""
    begins = dt.datetime.combine(day, dt.time(), now.tzinfo)
    limit = now - dt.timedelta(hours=hours)
    if begins + dt.timedelta(days=1) <= limit:
        return "over"
    return "young" if begins > limit else "unsure"
