"""Vector backends: find texts by the similarity of embeddings, if a model is set up."""

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

Only = Callable[[str], bool]  # accepts the id of a text
_QUESTIONS = 64  # whose vectors are kept in memory


class SearchBackend(Protocol):
    """The interface of a backend (K095). An unavailable backend raises nothing and finds nothing."""

    @property
    def backend_type(self) -> str:
        """Return its name in the settings."""

    @property
    def available(self) -> bool:
        """Return whether it can be queried now."""

    @property
    def why(self) -> str:
        """Return why it is not available; empty if it is."""

    def search(self, query: str, limit: int = 10, only: Only | None = None) -> list[tuple[str, float]]:
        """Return the ids of the texts nearest to a query, nearest first, each with its similarity, at most 1."""

    def add(self, id: str, text: str) -> None:  # noqa: A002 - the protocol's word
        """Add a text; a text with this id is replaced."""

    def batch_add(self, items: Iterable[tuple[str, str]], seconds: float | None = None) -> int:
        """Add texts for at most `seconds`; return how many are left."""

    def delete(self, ids: Iterable[str]) -> None:
        """Remove texts and their vectors; unknown ids are ignored."""


class Embedder(Protocol):
    """A model that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Return a name that distinguishes its vectors from another model's."""

    def texts(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of texts to be found; raises ModelError."""

    def question(self, text: str) -> Vector:
        """Return the vector of a question; raises ModelError."""


def has_numpy() -> bool:
    """Return whether numpy is installed, to compare many vectors."""
    return find_spec("numpy") is not None


class Nearest:
    """Vectors in memory, searched by brute force."""

    def __init__(self, rows: Sequence[tuple[str, bytes]], *, fast: bool | None = None) -> None:
        sizes = [len(data) for _, data in rows]
        self._bytes = max(set(sizes), key=sizes.count, default=0)  # the most common size; others are of a former model
        self.ids = [name for name, data in rows if len(data) == self._bytes]
        vectors = [data for _, data in rows if len(data) == self._bytes]
        self._numpy: Any = import_module("numpy") if (has_numpy() if fast is None else fast) else None
        if self._numpy is not None:
            whole = self._numpy.frombuffer(b"".join(vectors), "<f2").astype("f4")
            self._matrix = whole.reshape(len(vectors), -1) if vectors else whole
        else:
            self._rows = [unpack(data) for data in vectors]

    def to(self, vector: Vector, limit: int, only: Only | None = None) -> list[tuple[str, float]]:
        """Return the nearest ids, nearest first; ties in order of ids."""
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
    """Finds texts by similarity. After an error it stores the reason in `why` and finds nothing for `rest` seconds."""

    def __init__(
        self, backend_type: str, embedder: Embedder, store: VectorStore, *, batch: int, most: int, rest: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.backend_type, self.why = backend_type, ""
        self._embedder, self._store, self._batch, self._rest, self._clock = embedder, store, batch, rest, clock
        self._most = None if has_numpy() else most  # rows that are compared without numpy
        self._until = 0.0
        self._cached: tuple[str, Nearest] | None = None
        self._questions: dict[str, bytes] = {}  # the vectors of the last questions

    @property
    def available(self) -> bool:
        """Return whether it can be queried: after an error, not before the back-off has passed."""
        return not self.why or self._clock() >= self._until

    def search(self, query: str, limit: int = 10, only: Only | None = None) -> list[tuple[str, float]]:
        """Return the ids of the texts nearest to a query, nearest first, each with its similarity."""
        if not query.strip():
            return []
        return self._try(lambda: self._search(query, limit, only)) or []

    def add(self, id: str, text: str) -> None:  # noqa: A002 - the protocol's word
        """Add a text; a text with this id is replaced."""
        self.batch_add([(id, text)])

    def batch_add(self, items: Iterable[tuple[str, str]], seconds: float | None = None) -> int:
        """Add texts for at most `seconds`; return how many are left."""
        texts = {name: (_digest(text), text) for name, text in items}
        stored = self._try(self._store.ids)
        if stored is None:
            return len(texts)
        todo = {name: one for name, one in texts.items() if stored.get(name) != one[0]}
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
        """Remove texts and their vectors; raises database errors, because a removal must not fail silently."""
        self._cached = None
        self._questions.clear()
        self._store.delete(ids)

    @property
    def state(self) -> str:
        """Return a value that changes with its vectors; empty if that fails."""
        return self._try(self._store.version) or ""

    def ids(self) -> frozenset[str]:
        """Return the ids of the texts that can be found."""
        return frozenset(self._try(self._store.ids) or ())

    def _put(self, part: dict[str, tuple[bytes, str]]) -> bool:
        stored = self._store.known(digest for digest, _ in part.values())
        new = {digest: text for digest, text in part.values() if digest not in stored}
        embedded = self._embedder.texts(list(new.values())) if new else []
        packed = dict(zip(new, map(pack, embedded), strict=True))
        # a text without a vector is recorded too, so that it is not embedded again
        self._cached = None
        self._store.put({name: digest for name, (digest, _) in part.items()}, {k: v for k, v in packed.items() if v})
        return True

    def _search(self, query: str, limit: int, only: Only | None) -> list[tuple[str, float]]:
        nearest = self._nearest()
        if not nearest.ids:
            return []
        vector = self._of_question(query)
        return nearest.to(unpack(vector), limit, only) if vector else []

    def _of_question(self, query: str) -> bytes:
        """Return the vector of a question, empty if it has none; one search asks for it several times."""
        vector = self._questions.pop(query, None)
        if vector is None:
            vector = pack(self._embedder.question(query)) or b""
        self._questions[query] = vector
        if len(self._questions) > _QUESTIONS:
            del self._questions[next(iter(self._questions))]
        return vector

    def _nearest(self) -> Nearest:
        version = self._store.version()
        if self._cached is None or self._cached[0] != version:
            rows = self._store.vectors()
            if self._most is not None and len(rows) > self._most:
                raise ModelError(
                    "{count} texts are too many to compare without numpy",
                    hint="pip install 'mdmem[embed]'",
                    facts={"count": len(rows)},
                )
            self._cached = (version, Nearest(rows))
        return self._cached[1]

    def _try(self, work: Callable[[], T]) -> T | None:
        """Run work that may fail; after a failure, return None during the back-off and keep the reason."""
        if not self.available:
            return None
        try:
            done = work()
        except (MdmemError, sqlite3.Error, OSError) as error:
            self.why = _reason(error)
            self._until = self._clock() + self._rest
            return None
        self.why = ""
        return done


class NoBackend:
    """Takes the place of an unavailable backend: finds nothing, and says why."""

    available = False
    state = ""

    def __init__(self, backend_type: str, why: str) -> None:
        self.backend_type, self.why = backend_type, why

    def search(self, query: str, limit: int = 10, only: Only | None = None) -> list[tuple[str, float]]:  # noqa: ARG002
        """Return no results."""
        return []

    def add(self, id: str, text: str) -> None:  # noqa: A002 - the protocol's word
        """Ignore the text."""

    def batch_add(self, items: Iterable[tuple[str, str]], seconds: float | None = None) -> int:  # noqa: ARG002
        """Return the number of texts: all are left."""
        return len(dict(items))

    def delete(self, ids: Iterable[str]) -> None:
        """Ignore the ids."""

    def ids(self) -> frozenset[str]:
        """Return no ids."""
        return frozenset()


def _reason(error: Exception) -> str:
    """Return message and hint of an error; of a database error only the class, because its text may contain a path."""
    if isinstance(error, MdmemError):
        return f"{error.message}; {error.hint}" if error.hint else error.message
    return f"the vectors cannot be kept: {type(error).__name__}"


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _parts(items: Iterator[tuple[str, T]], size: int) -> Iterator[dict[str, T]]:
    while part := dict(islice(items, size)):
        yield part
