"""The best rows of several lists, by what each list weighs and how long a row is; no more is added up than must be.

The rare words come first. Once so many rows are found as are asked for, and all that is left to read weighs less than
the last of them, no further row can be among the best: the long lists of common words are then only looked into for
the rows that are there already (MaxScore).
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from heapq import nlargest
from itertools import accumulate

_PART = 4  # while more than this part of all weight is left, it is not asked whether that is too little for a new row
_LONG = 3  # times what is looked up in it, a list is searched and not read
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
        least, top, shape, norms = self._least(sums, limit), self._top, self._shape, self._norms
        return best({row: score * shape[norms[row]] for row, score in sums.items() if score * top >= least}, limit)

    def of(self, row: int) -> float:
        """Give the score of one row."""
        return self._sum(row) * self._shape[self._norms[row]] if self._only is None or row in self._only else 0.0

    def _sum(self, row: int) -> float:
        found = [weight for weight, rows in self._lists if _holds(rows, row)]
        return sum(found) if found else float(self._only is not None)

    def _summed(self, limit: int) -> Sums:
        """Add up every row that can be among the best."""
        sums: Sums = {}
        for at, (weight, rows) in enumerate(self._lists):
            left = self._left[at]
            if _PART * left < self._left[0] and (least := self._least(sums, limit)) > left:
                sums = {row: score for row, score in sums.items() if score * self._top + left >= least}
                return _looked_up(sums, self._lists[at:])
            sums = _added(sums, weight, rows)
        return sums

    def _least(self, sums: Sums, limit: int) -> float:
        """Give what the last of the best has at least: the same of those whose words alone are among the best."""
        if len(sums) < limit:
            return 0.0
        shape, norms, last = self._shape, self._norms, nlargest(limit, sums.values())[-1]
        return nlargest(limit, [score * shape[norms[row]] for row, score in sums.items() if score >= last])[-1]


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


def _looked_up(sums: Sums, lists: Iterable[tuple[float, array[int]]]) -> Sums:
    """Add lists to the rows that are there, and no row more."""
    for weight, rows in lists:
        long = len(rows) > _LONG * len(sums)
        for row in [row for row in sums if _holds(rows, row)] if long else sums.keys() & set(rows):
            sums[row] += weight
    return sums


def _holds(rows: array[int], row: int) -> bool:
    at = bisect_left(rows, row)
    return at < len(rows) and rows[at] == row
