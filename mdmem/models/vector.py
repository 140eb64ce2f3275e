"""Vectors of texts, as they are kept and compared: of length one, half a float for each number (K083)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, sqrt
from operator import mul

Vector = Sequence[float]

BYTES = 2  # of a number; half floats err by a two-thousandth, which no ranking feels


def pack(vector: Vector) -> bytes | None:
    """Bring a vector to length one and give its bytes; None where it has no direction, or holds what is no number."""
    try:
        length = sqrt(sum(map(mul, vector, vector)))
        if not vector or not isfinite(length) or not length:
            return None
        return struct.pack(f"<{len(vector)}e", *(number / length for number in vector))
    except (TypeError, OverflowError, struct.error):
        return None


def unpack(data: bytes) -> tuple[float, ...]:
    """Read what `pack` gave."""
    return struct.unpack(f"<{len(data) // BYTES}e", data)


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two vectors of length one."""
    return float(sum(map(mul, one, other)))


def shares(found: Iterable[tuple[str, float]]) -> Mapping[str, float]:
    """Turn likenesses into shares from 0 to 1, the best 1, what is no nearer than the last 0.

    The likeness of any two texts lies within a narrow band, which differs from model to model; only where in the band
    of a question's own answers one lies can be mixed with what other ways of recall say.
    """
    scores = dict(found)
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {name: (score - low) / (high - low) if high > low else 1.0 for name, score in scores.items()}
