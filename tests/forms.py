"""Three forms of every law.

The short one is README's command. The middle one, `MDMEM_FORM=middle`, is what `.ci/run` proves before a change lands.
The long one, `MDMEM_FORM=long`, takes hours.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

FORM = os.environ.get("MDMEM_FORM") or "short"
if FORM not in ("short", "middle", "long"):
    raise ValueError(f"MDMEM_FORM is short, middle or long, not {FORM!r}")
SHORT, LONG = FORM == "short", FORM == "long"
_SHORTER = 4  # the short form takes every so-many-th of the cases of the middle one
_LEAST = 2  # cases of a table that the short form takes, if it has as many
T = TypeVar("T")


def many(short: T, long: T, *, middle: T | None = None) -> T:
    """Choose a number of rounds, examples or characters by the form of the run; the middle one is the short one."""
    if LONG:
        return long
    return short if SHORT or middle is None else middle


def each(step: int, cases: Sequence[T]) -> Sequence[T]:
    """Return every so-many-th case, the same ones in each run: all in the long form, fewer still in the short one."""
    return cases[:: many(step * _SHORTER, 1, middle=step)]


def sample(cases: Sequence[T]) -> Sequence[T]:
    """Return what the short form takes of a table of cases, the same ones in each run."""
    return cases[:: max(1, min(_SHORTER, len(cases) // _LEAST))]
