"""The vectors nearest to one: all are compared, with numpy where it is installed, else one by one.

No tree and no graph: numpy compares 100,000 in a few hundredths of a second, and nothing has to be built.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import nsmallest
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from mdmem.core.vector import BYTES, Vector, likeness, unpack
from mdmem.index.vectors import Only


def has_numpy() -> bool:
    """Tell whether many vectors can be compared."""
    return find_spec("numpy") is not None


class Nearest:
    """Vectors in memory, ready to be compared."""

    def __init__(self, rows: Sequence[tuple[str, bytes]], *, fast: bool | None = None) -> None:
        sizes = [len(data) for _, data in rows]
        self._bytes = max(set(sizes), key=sizes.count, default=0)  # of another size: of a model that changed
        self.ids = [name for name, data in rows if len(data) == self._bytes]
        kept = [data for _, data in rows if len(data) == self._bytes]
        self._numpy: Any = import_module("numpy") if (has_numpy() if fast is None else fast) else None
        if self._numpy is not None:
            whole = self._numpy.frombuffer(b"".join(kept), "<f2").astype("f4")
            self._matrix = whole.reshape(len(kept), -1) if kept else whole
        else:
            self._rows = [unpack(data) for data in kept]

    def to(self, vector: Vector, limit: int, only: Only | None = None) -> list[tuple[str, float]]:
        """Give the nearest, the nearest first; ids in order where two are equally near."""
        if not self.ids or len(vector) * BYTES != self._bytes:
            return []
        scores = self._scores(vector)
        chosen: Iterable[int] = range(len(self.ids))
        if self._numpy is not None and only is None and limit < len(self.ids):
            edge = self._numpy.partition(scores, -limit)[-limit]
            chosen = self._numpy.flatnonzero(scores >= edge).tolist()
        found = ((-min(1.0, float(scores[at])), self.ids[at]) for at in chosen if only is None or only(self.ids[at]))
        return [(name, -score) for score, name in nsmallest(limit, found)]

    def _scores(self, vector: Vector) -> Any:  # noqa: ANN401 - a list, or numpy's
        if self._numpy is not None:
            return self._matrix @ self._numpy.asarray(vector, "f4")
        return [likeness(row, vector) for row in self._rows]
