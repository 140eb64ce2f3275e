"""Stores and compares vectors: of length one, as half-precision floats (K083)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, sqrt
from operator import mul

Vector = Sequence[float]

BYTES = 2  # of a number; half floats have an error of 1/2000, which does not change a ranking


def pack(vector: Vector) -> bytes | None:
    """Return the bytes of a vector scaled to length one; None if it is zero or contains a value that is not finite."""
    try:
        length = sqrt(sum(map(mul, vector, vector)))
        if not vector or not isfinite(length) or not length:
            return None
        return struct.pack(f"<{len(vector)}e", *(number / length for number in vector))
    except (TypeError, OverflowError, struct.error):
        return None


def unpack(data: bytes) -> tuple[float, ...]:
    """Read the result of `pack`."""
    return struct.unpack(f"<{len(data) // BYTES}e", data)


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length one."""
    return float(sum(map(mul, one, other)))


def shares(found: Iterable[tuple[str, float]]) -> Mapping[str, float]:
    """Scale similarities to shares from 0 to 1: the best is 1, the last 0.

    Similarities are within a narrow band, which differs between models; only the position within the band of one
    question's results can be combined with other scores.
    """
    scores = dict(found)
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {name: (score - low) / (high - low) if high > low else 1.0 for name, score in scores.items()}
