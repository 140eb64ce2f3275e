"""Time of hostile input, of one size and of four times that: prints the ratio, and fails where the time grows faster.

python tests/bench/bench_growth.py [--size 15000] [--most 10] [--every 3] [NAME …]
"""

from __future__ import annotations

import argparse
import gc
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from clocks import busy
from growth import CASES, TIMES, Growing

_ROUNDS = 8  # others share the processor: the best of so many measurements counts
_LEAST = 0.002  # seconds; below that the clock says nothing


def seconds(case: Growing, size: int) -> float:
    return busy(case.make(size))


def measured(case: Growing, size: int, most: float) -> tuple[float, float]:
    """Measure both sizes until their ratio is well; each round takes a text of its own, for texts are kept."""
    small = large = math.inf
    gc.collect()
    gc.freeze()  # or the collector walks what other cases left, in the larger measurement only
    for number in range(_ROUNDS):
        small = min(small, max(seconds(case, size + 100 * number), _LEAST))
        large = min(large, seconds(case, TIMES * size + 100 * number))
        if large < most * small:
            break
    gc.unfreeze()
    return small, large


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="cases that hold one of these words; all without")
    parser.add_argument("--size", type=int, default=15_000, help="characters of the smaller text")
    parser.add_argument("--most", type=float, default=10, help="how many times the time of the smaller one is allowed")
    parser.add_argument("--every", type=int, default=1, help="time every so-many-th case only")
    given = parser.parse_args()
    fast = 0
    for name, case in list(CASES.items())[:: given.every]:
        if given.names and not any(word in name for word in given.names):
            continue
        small, large = measured(case, max(given.size, case.size), given.most)
        wrong = large >= given.most * small
        fast += wrong
        print(f"{1000 * small:9.1f} ms {1000 * large:9.1f} ms {large / small:6.1f} ×  {name[:60]}{'  ✗' * wrong}")
    print(f"{fast} grow faster than the text")
    return 1 if fast else 0


if __name__ == "__main__":
    sys.exit(main())
