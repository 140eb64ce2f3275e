"""Reads a file from its end, in ever longer pieces, so that what is newest costs the same however long the file is."""

from __future__ import annotations

import os
from collections.abc import Iterator

from mdmem.core.record import NamedTuple

_FIRST = 8192  # bytes
_GROWTH = 4


class Tail(NamedTuple):
    """The last bytes of a file, and where in it they begin."""

    data: bytes
    start: int


def tails(descriptor: int, size: int, first: int = _FIRST) -> Iterator[Tail]:
    """Give the end of an open file of that size, each time more of it, at last the whole; raises OSError."""
    data, start, length = b"", size, max(1, first)
    while start or not size:
        begin = max(0, size - length)
        data, start = _read(descriptor, begin, start) + data, begin
        yield Tail(data, start)
        if not start:
            return
        length *= _GROWTH


def _read(descriptor: int, begin: int, end: int) -> bytes:
    pieces = []
    while begin < end and (piece := os.pread(descriptor, end - begin, begin)):
        pieces.append(piece)
        begin += len(piece)
    return b"".join(pieces)
