"""Two forms of every law: a short one that every run proves, and a long one behind `MDMEM_LONG=1`."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

LONG = bool(os.environ.get("MDMEM_LONG"))
T = TypeVar("T")


def many(short: T, long: T) -> T:
    """Choose a number of rounds, examples or characters by the form of the run."""
    return long if LONG else short


def each(step: int, cases: Sequence[T]) -> Sequence[T]:
    """Return every so-many-th case, the same ones in each run; all of them in the long form."""
    return cases[:: many(step, 1)]
