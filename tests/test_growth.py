"""Hostile input costs work that grows with its size and no faster; `tests/bench/bench_growth.py` measures its time.

The short form takes every second case, and every twelfth shape of a file through the verbs of a workspace; the long
form takes all.
"""

from __future__ import annotations

import pytest
from forms import each
from growth import CASES, TIMES, VERBS, steps
from shapes import SHAPES

pytestmark = pytest.mark.slow

_SLACK = 400  # calls that do not depend on the size: a table built, a pattern compiled
_SHAPES = each(12, list(SHAPES))
_LEFT_OUT = {f"{verb}: {name}" for verb in VERBS for name in SHAPES if name not in _SHAPES}


@pytest.mark.parametrize("name", each(2, [name for name in CASES if name not in _LEFT_OUT]))
def test_the_steps_grow_no_faster_than_the_text(name: str) -> None:
    case = CASES[name]
    case.make(case.size // 2)()  # what is made once for all texts is made
    small, large = (steps(case.make(size)) for size in (case.size, TIMES * case.size))
    assert large <= 1.5 * TIMES * small + _SLACK, (small, large)
