"""Vector backends: texts found by what they mean, where somebody has set up a model; without one, words do."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from heapq import nsmallest
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any, Protocol, TypeVar

from mdmem.errors import MdmemError, ModelError
from mdmem.models.vector import BYTES, Vector, cosine, pack, unpack
from mdmem.search.vectors.store import VectorStore

Only = Callable[[str], bool]  # whether the text of an id may be found


class SearchBackend(Protocol):
    """What every backend can do (K095); none of it raises for a backend that is not available: it finds nothing."""

    @property
    def backend_type(self) -> str:
        """Its name in the settings."""

    @property
    def available(self) -> bool:
        """Whether it finds anything at all now."""

    @property
    def why(self) -> str:
        """Why it is not available; empty where it is."""

    def search(self, query: str, limit: int = 10, only: Only | None = None) -> list[tuple[str, float]]:
        """Return the ids of the texts nearest to a question, the nearest first, each with its likeness, at most 1."""

    def add(self, id: str, text: str) -> None:  # noqa: A002 - the protocol's word
        """Let a text be found; one that was there under this id is replaced."""

    def batch_add(self, items: Iterable[tuple[str, str]], seconds: float | None = None) -> int:
        """Let many texts be found, for so many seconds; gives how many are still to do."""

    def delete(self, ids: Iterable[str]) -> None:
        """Let texts be found no more, and keep nothing of them; unknown ids are no harm."""


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """What its vectors are told apart by from another model's."""

    def texts(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts that are to be found; raises ModelError."""

    def question(self, text: str) -> Vector:
        """Return the vector of a question; raises ModelError."""


def has_numpy() -> bool:
    """Return whether many vectors can be compared."""
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
        """Return the nearest, the nearest first; ids in order where two are equally near."""
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
        return [cosine(row, vector) for row in self._rows]


T = TypeVar("T")


class VectorBackend:
    """Texts found by what they mean. What goes wrong is kept in `why`; then it finds nothing, until it has rested."""

    def __init__(
        self, backend_type: str, embedder: Embedder, store: VectorStore, *, batch: int, most: int, rest: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.backend_type, self.why = backend_type, ""
        self._embedder, self._store, self._batch, self._rest, self._clock = embedder, store, batch, rest, clock
        self._most = None if has_numpy() else most  # rows that are compared one by one
        self._until = 0.0
        self._held: tuple[str, Nearest] | None = None

    @property
    def available(self) -> bool:
        """Whether it can be asked now: what went wrong is not tried again before it has rested."""
        return not self.why or self._clock() >= self._until

    def search(self, query: str, limit: int = 10, only: Only | None = None) -> list[tuple[str, float]]:
        """Return the ids of the texts nearest to a question, the nearest first, each with its likeness."""
        if not query.strip():
            return []
        return self._try(lambda: self._search(query, limit, only)) or []

    def add(self, id: str, text: str) -> None:  # noqa: A002 - the protocol's word
        """Let a text be found; one that was there under this id is replaced."""
        self.batch_add([(id, text)])

    def batch_add(self, items: Iterable[tuple[str, str]], seconds: float | None = None) -> int:
        """Let many texts be found, for so many seconds; gives how many are still to do."""
        said = {name: (_digest(text), text) for name, text in items}
        known = self._try(self._store.ids)
        if known is None:
            return len(said)
        todo = {name: one for name, one in said.items() if known.get(name) != one[0]}
        end = None if seconds is None else self._clock() + seconds
        left = len(todo)
        for part in _parts(iter(todo.items()), self._batch):
            if end is not None and self._clock() >= end:
                break
            if self._try(partial(self._put, part)) is None:
                break
            left -= len(part)
        return left

    def delete(self, ids: Iterable[str]) -> None:
        """Let texts be found no more, and keep nothing of them; raises what the database raises, for it must happen."""
        self._held = None
        self._store.delete(ids)

    @property
    def state(self) -> str:
        """What changes when its vectors do; empty where that cannot be told."""
        return self._try(self._store.version) or ""

    def ids(self) -> frozenset[str]:
        """Return the ids of the texts that can be found."""
        return frozenset(self._try(self._store.ids) or ())

    def _put(self, part: dict[str, tuple[bytes, str]]) -> bool:
        known = self._store.known(said for said, _ in part.values())
        new = {said: text for said, text in part.values() if said not in known}
        given = self._embedder.texts(list(new.values())) if new else []
        packed = dict(zip(new, map(pack, given), strict=True))
        # a text without direction has no vector, but is not asked for again
        self._held = None
        self._store.put({name: said for name, (said, _) in part.items()}, {k: v for k, v in packed.items() if v})
        return True

    def _search(self, query: str, limit: int, only: Only | None) -> list[tuple[str, float]]:
        held = self._nearest()
        if not held.ids:
            return []
        vector = pack(self._embedder.question(query))
        return held.to(unpack(vector), limit, only) if vector else []

    def _nearest(self) -> Nearest:
        version = self._store.version()
        if self._held is None or self._held[0] != version:
            rows = self._store.vectors()
            if self._most is not None and len(rows) > self._most:
                raise ModelError(
                    "{count} texts are too many to compare without numpy",
                    hint="pip install 'mdmem[embed]'",
                    facts={"count": len(rows)},
                )
            self._held = (version, Nearest(rows))
        return self._held[1]

    def _try(self, work: Callable[[], T]) -> T | None:
        """Do what may fail; after a failure, nothing for a while, and the reason."""
        if not self.available:
            return None
        try:
            done = work()
        except (MdmemError, sqlite3.Error, OSError) as error:
            self.why = _told(error)
            self._until = self._clock() + self._rest
            return None
        self.why = ""
        return done


class NoBackend:
    """What stands where no backend can: it finds nothing, and says why."""

    available = False
    state = ""

    def __init__(self, backend_type: str, why: str) -> None:
        self.backend_type, self.why = backend_type, why

    def search(self, query: str, limit: int = 10, only: Only | None = None) -> list[tuple[str, float]]:  # noqa: ARG002
        """Find nothing."""
        return []

    def add(self, id: str, text: str) -> None:  # noqa: A002 - the protocol's word
        """Keep nothing."""

    def batch_add(self, items: Iterable[tuple[str, str]], seconds: float | None = None) -> int:  # noqa: ARG002
        """Keep nothing: all is still to do."""
        return len(dict(items))

    def delete(self, ids: Iterable[str]) -> None:
        """Have nothing to delete."""

    def ids(self) -> frozenset[str]:
        """Have nothing."""
        return frozenset()


def _told(error: Exception) -> str:
    """Say what went wrong and what helps; what a database says may hold a path, so its kind must do."""
    if isinstance(error, MdmemError):
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return f"the vectors cannot be kept: {type(error).__name__}"


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _parts(items: Iterator[tuple[str, T]], size: int) -> Iterator[dict[str, T]]:
    while part := dict(islice(items, size)):
        yield part
