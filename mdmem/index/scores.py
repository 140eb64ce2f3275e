"""The best rows of several lists, by what each list weighs and how long a row is; no more is added up than must be.

A few rows of the rarest words are looked up in all lists: so much the last of the best has at least. A list that,
with all that are lighter, gives less than that brings no row among the best; it is only looked into for the rows that
the heavier ones brought (MaxScore).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import accumulate

_LONG = 8  # times what is looked up in it, a list is searched and not read
_ROUNDED = 1 - 1e-9  # the same weights added up in another order
Sums = dict[int, float]


class Scores:
    """What lists of rows add up to."""

    def __init__(
        self, lists: Iterable[tuple[float, array[int]]], only: AbstractSet[int] | None, norms: bytes | bytearray,
        shape: Sequence[float],
    ) -> None:  # fmt: skip
        """Take what is to be added up.

        Args:
            lists: what each list weighs, and its rows, rising; the heaviest first.
            only: the rows that count, each with 1 where no list has it; None for all that a list has.
            norms: each row's length in steps.
            shape: the factor of each such step.
        """
        self._lists, self._only, self._norms, self._shape = list(lists), only, norms, shape
        self._top = max(shape)
        weights = (weight * self._top for weight, _ in reversed(self._lists))
        self._left = [*accumulate(weights, initial=0.0)][::-1]  # what the lists from each on give at most

    def best(self, limit: int) -> list[tuple[int, float]]:
        """Give the best rows as `best` does."""
        sums = self._summed(limit) if self._only is None else {row: self._sum(row) for row in self._only}
        return best(self._shaped(sums), limit)

    def of(self, row: int) -> float:
        """Give the score of one row."""
        return self._sum(row) * self._shape[self._norms[row]] if self._only is None or row in self._only else 0.0

    def _sum(self, row: int) -> float:
        found = [weight for weight, rows in self._lists if _holds(rows, row)]
        return sum(found) if found else float(self._only is not None)

    def _summed(self, limit: int) -> Sums:
        """Add up every row that can be among the best."""
        some = self._some(limit)
        if len(some) < limit:
            return some
        least = nlargest(limit, self._shaped(some).values())[-1] * _ROUNDED
        light = next(at for at, left in enumerate(self._left) if left < least)
        sums: Sums = {}
        for weight, rows in self._lists[:light]:
            sums = _added(sums, weight, rows)
        for left, (weight, rows) in zip(self._left[light:], self._lists[light:], strict=False):
            sums = {row: score for row, score in sums.items() if score * self._top + left >= least}
            _look_up(sums, weight, rows)
        return {row: score for row, score in sums.items() if score * self._top >= least}

    def _some(self, limit: int) -> Sums:
        """Add up the first rows of the heaviest lists, as many as asked for; fewer are all there are."""
        sums: Sums = {}
        for _, rows in self._lists:
            sums |= dict.fromkeys(rows[:limit], 0.0)
            if len(sums) >= limit:
                break
        for weight, rows in self._lists:
            _look_up(sums, weight, rows)
        return sums

    def _shaped(self, sums: Sums) -> Sums:
        """Let the length of the rows count."""
        shape, norms = self._shape, self._norms
        return {row: score * shape[norms[row]] for row, score in sums.items()}


def best(scores: Sums, limit: int) -> list[tuple[int, float]]:
    """Give the best, and all that are as good as the last of them, so that no number decides; in no order."""
    if len(scores) <= limit:
        return list(scores.items())
    least = nlargest(limit, scores.values())[-1]
    return [(row, score) for row, score in scores.items() if score >= least]


def _added(sums: Sums, weight: float, rows: array[int]) -> Sums:
    """Add a list; the longer of the two is gone through by the interpreter itself."""
    if len(rows) < len(sums):
        get = sums.get
        for row in rows:
            sums[row] = get(row, 0.0) + weight
        return sums
    added = dict.fromkeys(rows, weight)
    get = added.get
    for row, score in sums.items():
        added[row] = score + get(row, 0.0)
    return added


def _look_up(sums: Sums, weight: float, rows: array[int]) -> None:
    """Add a list to the rows that are there, and no row more."""
    for row in common(rows, sums):
        sums[row] += weight


def common(rows: array[int], known: Mapping[int, object]) -> Iterable[int]:
    """Return which of some known rows stand in a list."""
    if len(rows) <= _LONG * len(known):
        return known.keys() & set(rows)
    end, found = len(rows), []
    for row in known:  # not by `_holds`: calling a function takes as long as the search
        at = bisect_left(rows, row)
        if at < end and rows[at] == row:
            found.append(row)
    return found


def _holds(rows: array[int], row: int) -> bool:
    at = bisect_left(rows, row)
    return at < len(rows) and rows[at] == row
