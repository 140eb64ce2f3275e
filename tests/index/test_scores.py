"""However little is added up, the best rows are those of adding up everything."""

from __future__ import annotations

from array import array

from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.index.bm25 import Bm25Scorer

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
    scores = Bm25Scorer([(weight, array("I", rows)) for weight, rows in weighed], None, norms, SHAPE)
    assert dict(scores.best(limit)) == {row: score for row, score in whole.items() if score >= least}
    assert {row: scores.of(row) for row in range(1, ROWS + 1)} == {
        row: whole.get(row, 0.0) for row in range(1, ROWS + 1)
    }


@given(_lists, st.frozensets(st.integers(1, ROWS)), _norms, st.integers(1, 12))
def test_only_what_must_be_counts(lists: list[list[int]], only: frozenset[int], norms: bytes, limit: int) -> None:
    scores = Bm25Scorer([(1.0, array("I", rows)) for rows in lists], only, norms, SHAPE)
    found = scores.best(limit)
    assert {row for row, _ in found} <= only
    assert len(found) >= min(limit, len(only))
    assert all(score == max(1, sum(row in rows for rows in lists)) * SHAPE[norms[row]] for row, score in found)
