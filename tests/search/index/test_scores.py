"""A row's score is the sum of the lists that hold it, and the best rows come with all that are as good."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.index.bm25 import best_rows, summed

ROWS = 60
_rows = st.lists(st.integers(1, ROWS), unique=True, max_size=ROWS).map(sorted)
_lists = st.lists(_rows, max_size=6).map(lambda some: sorted(some, key=len))
_norms = st.binary(min_size=ROWS + 1, max_size=ROWS + 1).map(lambda some: bytes(1 + byte % 4 for byte in some))
SHAPE = (0.0, 1.25, 1.0, 0.75, 0.5)


@given(_lists, st.lists(st.sampled_from([0.25, 1.0, 2.0, 8.0]), min_size=6, max_size=6), _norms, st.integers(1, 12))
def test_the_best_are_those_of_all(lists: list[list[int]], weights: list[float], norms: bytes, limit: int) -> None:
    weighed = list(zip(sorted(weights, reverse=True), lists, strict=False))
    whole: dict[int, float] = {}
    for weight, rows in weighed:
        for row in rows:
            whole[row] = whole.get(row, 0.0) + weight
    whole = {row: score * SHAPE[norms[row]] for row, score in whole.items()}
    least = sorted(whole.values(), reverse=True)[limit - 1] if len(whole) > limit else 0.0
    scores = summed([(weight, array("I", rows)) for weight, rows in weighed], None, norms, SHAPE)
    assert scores == whole
    assert dict(best_rows(scores, limit)) == {row: score for row, score in whole.items() if score >= least}


@given(_lists, st.frozensets(st.integers(1, ROWS)), _norms, st.integers(1, 12))
def test_only_what_must_be_counts(lists: list[list[int]], only: frozenset[int], norms: bytes, limit: int) -> None:
    scores = summed([(1.0, array("I", rows)) for rows in lists], only, norms, SHAPE)
    assert scores.keys() == only
    found = best_rows(scores, limit)
    assert len(found) >= min(limit, len(only))
    assert all(score == max(1, sum(row in rows for rows in lists)) * SHAPE[norms[row]] for row, score in found)
