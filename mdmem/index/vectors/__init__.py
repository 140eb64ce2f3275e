"""Vector backends: texts found by what they mean, where somebody has set up a model; without one, words do."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from mdmem.core.vector import Vector

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
        """Give the ids of the texts nearest to a question, the nearest first, each with its likeness, at most 1."""

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
        """Give the vectors of texts that are to be found; raises ModelError."""

    def question(self, text: str) -> Vector:
        """Give the vector of a question; raises ModelError."""
