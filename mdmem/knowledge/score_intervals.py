"""Intervals of success rates and of their difference, from the literature. Pure.

Of a rate: the score interval of E. B. Wilson (Journal of the American Statistical Association 22, 1927, 209–212) with
the correction for continuity, which is method 4 of R. G. Newcombe, «Two-sided confidence intervals for the single
proportion: comparison of seven methods» (Statistics in Medicine 17, 1998, 857–872).
Of a difference of two rates: method 11 of R. G. Newcombe, «Interval estimation for the difference between independent
proportions: comparison of eleven methods» (Statistics in Medicine 17, 1998, 873–890), which combines two of these.
The correction is there because without it two equal versions with 100 tasks each are called different in up to 5.6 %
of all cases at a confidence of 95 %; with it in at most 4.0 %. The quantile is that of `statistics.NormalDist`.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class RateInterval(NamedTuple):
    """The ends of an interval."""

    low: float
    high: float


def wilson(successes: int, trials: int, confidence: float) -> RateInterval:
    """Return the score interval of a rate, corrected for continuity; without trials it is all of 0 to 1."""
    if not trials:
        return RateInterval(0.0, 1.0)
    n, z = trials, NormalDist().inv_cdf((1 + confidence) / 2)
    p, q, whole = successes / n, 1 - successes / n, 2 * (n + z * z)
    low = (2 * n * p + z * z - 1 - z * sqrt(z * z - 2 - 1 / n + 4 * p * (n * q + 1))) / whole if successes else 0.0
    high = (2 * n * p + z * z + 1 + z * sqrt(z * z + 2 - 1 / n + 4 * p * (n * q - 1))) / whole if q else 1.0
    return RateInterval(max(0.0, low), min(1.0, high))


def newcombe(first: tuple[int, int], second: tuple[int, int], confidence: float) -> RateInterval:
    """Return the interval of the second rate minus the first; each is (successes, trials)."""
    if not (first[1] and second[1]):
        return RateInterval(-1.0, 1.0)
    old, new = first[0] / first[1], second[0] / second[1]
    of_old, of_new = wilson(*first, confidence), wilson(*second, confidence)
    below = sqrt((new - of_new.low) ** 2 + (of_old.high - old) ** 2)
    above = sqrt((of_new.high - new) ** 2 + (old - of_old.low) ** 2)
    return RateInterval(new - old - below, new - old + above)
