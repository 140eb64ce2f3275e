"""Vector search: the backend of the settings, kept in step with the index (K022, K095 to K100).

A missing or failing backend never stops a search: words answer, and the reason is reported once.
"""

# The models are imported only for the backend that uses them.
from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from time import monotonic

from mdmem.config.trust_requests import trust_requests
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UsageError
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.models.vector import shares
from mdmem.search.index import IndexRow, SearchIndex
from mdmem.search.vectors.backend import Embedder, NoBackend, VectorBackend
from mdmem.search.vectors.store import VectorStore, remove
from mdmem.store.walk import STATE_FOLDER

Backend = VectorBackend | NoBackend
BACKENDS = ("none", "local", "openai")
_FILE = "vectors.db"
_PART = 256  # texts fetched at once


@dataclass(frozen=True, slots=True)
class VectorStatus:
    """The state of vector search; for `mdmem index status`."""

    backend: str  # none, local, openai
    available: bool
    why: str  # why it is unavailable, or how much is left; a sentence in the workspace's language
    vectors: int  # texts that can be found


class VectorSearch:
    """Finds texts by meaning; one per workspace, kept while it is open."""

    def __init__(self, config: WorkspaceConfig, backend: Backend | None = None) -> None:
        self._config, self._configured, self._reported = config, backend, False
        self._filled: tuple[str, str] | None = None  # the states of index and vectors when nothing was missing
        self.left = 0  # texts without a vector at the last check

    @cached_property
    def backend(self) -> Backend:
        """Return the backend of the settings."""
        return self._configured or create_search_backend(self._config)

    @property
    def wanted(self) -> bool:
        """Return whether the settings name a backend."""
        return self._configured is not None or self._config.settings.vectors.backend != "none"

    def similar(self, query: str, index: SearchIndex, only: Callable[[int], bool] | None = None) -> Mapping[int, float]:
        """Return the text numbers nearest in meaning to a query, each with a share from 0 to 1, the best 1.

        New texts of the index are embedded first, for at most `fill_seconds`.
        """
        if not self.wanted:
            return {}
        settings = self._config.settings.vectors
        self.fill(index, settings.fill_seconds)
        found = self.backend.search(query, settings.nearest, (lambda name: only(int(name))) if only else None)
        return {int(name): share for name, share in shares(found).items()}

    def near(
        self, query: str, index: SearchIndex, only: Callable[[int], bool] | None = None
    ) -> list[tuple[IndexRow, float]]:
        """Return the rows nearest in meaning to a query, with their texts and shares."""
        found = self.similar(query, index, only)
        return [(row, found[row.text_number]) for row in index.rows_with_text(list(found))]

    def fill(self, index: SearchIndex, seconds: float | None = None) -> int:
        """Embed new texts of the index for at most `seconds`, drop removed ones; return how many are left."""
        backend = self.backend
        if not backend.available or (self._filled and self._filled == (index.state, backend.state)):
            return self.left
        present, stored = index.text_numbers(), {int(name) for name in backend.ids()}
        if removed := stored - present:
            with suppress(sqlite3.Error):  # the database is busy; the next search retries
                backend.delete(map(str, removed))
        missing = sorted(present - stored)
        self.left, end = len(missing), _Clock(seconds)
        for start in range(0, len(missing), _PART):
            part = missing[start : start + _PART]
            texts = {str(row.text_number): row.text for row in index.rows_with_text(part)}
            undone = backend.batch_add(texts.items(), end.left())
            self.left -= len(part) - undone
            if undone:
                break
        self._filled = (index.state, backend.state) if index.state and not self.left else None
        return self.left

    def warning(self) -> str:
        """Return why words alone answer, once; empty if they do not, or if no backend is configured."""
        if self._reported or not (self.wanted or _is_untrusted(self._config)) or not self.backend.why:
            return ""
        self._reported = True
        return say(self._config.lang, "vectors.off", why=self.backend.why)

    def summary(self) -> str:
        """Return the state as one or two sentences; empty if no backend is configured."""
        if not (self.wanted or _is_untrusted(self._config)):
            return ""
        found = self.status()
        lang = self._config.lang
        if not found.available:
            return say(lang, "vectors.off", why=found.why)
        state = say(lang, "vectors.on", vectors=found.vectors, backend=found.backend)
        return f"{state}; {found.why}" if found.why else state

    def status(self) -> VectorStatus:
        """Return the state; embeds nothing."""
        backend = self.backend
        vectors = len(backend.ids())
        why = backend.why
        if not why and self.left:
            why = say(self._config.lang, "vectors.filling", left=self.left, all=self.left + vectors)
        return VectorStatus(backend.backend_type, backend.available, why, vectors)


def purge_vectors(config: WorkspaceConfig, index: SearchIndex) -> None:
    """Drop the vectors of texts that no file contains; drop all if that cannot be determined (law 12)."""
    path = _database_path(config)
    store = VectorStore(path, "", config.settings.store.lock_seconds)
    try:
        index.refresh()
        store.keep({str(number) for number in index.text_numbers()})
        store.close()
    except (sqlite3.Error, OSError):
        remove(path)


def create_search_backend(config: WorkspaceConfig, backend_type: str | None = None) -> Backend:
    """Return a vector backend by name, or that of the settings (K099); `NoBackend` if it is unavailable.

    Raises:
        UsageError: there is no backend of this name.
    """
    settings, lang = config.settings.vectors, config.lang
    name = backend_type or settings.backend
    if name not in BACKENDS:
        raise UsageError(
            "no such backend: {name}", hint="one of: {names}", facts={"name": name, "names": ", ".join(BACKENDS)}
        )
    if name == "none":
        return NoBackend(name, say(lang, "vectors.trust" if _is_untrusted(config) else "vectors.none"))
    embedder = _embedder(config, name)
    if isinstance(embedder, str):
        return NoBackend(name, say(lang, f"vectors.{embedder}"))
    folder = os.path.join(config.root, STATE_FOLDER)
    if os.path.islink(folder) or not _made(folder):
        return NoBackend(name, say(lang, "vectors.folder"))
    store = VectorStore(_database_path(config), embedder.name, config.settings.store.lock_seconds)
    return VectorBackend(
        name, embedder, store, batch=settings.batch, most=settings.rows_without_numpy, rest=settings.rest_seconds
    )


def _is_untrusted(config: WorkspaceConfig) -> bool:
    """Return whether an untrusted workspace names a backend."""
    wanted = trust_requests(config)
    return "vectors" in wanted.tables and not wanted.trusted


def _embedder(config: WorkspaceConfig, name: str) -> Embedder | str:
    """Return the model of a backend; the key of the reason if there is none."""
    settings, endpoint = config.settings.vectors, config.settings.openai
    if name == "local":
        from mdmem.models.embeddings import Local, is_installed

        return Local(settings.max_chars) if is_installed() else "package"
    if not settings.model:
        return "model"
    from mdmem.models.embeddings import Endpoint

    own = endpoint._replace(
        model=settings.model,
        base_url=settings.base_url or endpoint.base_url,
        key_env=settings.key_env or endpoint.key_env,
        seconds=settings.seconds,
        attempts=settings.attempts,
        max_wait_seconds=settings.seconds,
    )
    return Endpoint(own, settings.dimensions, settings.max_chars, mask)


def _database_path(config: WorkspaceConfig) -> str:
    return os.path.join(config.root, STATE_FOLDER, _FILE)


def _made(folder: str) -> bool:
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError:
        return False
    return True


class _Clock:
    """A countdown."""

    def __init__(self, seconds: float | None) -> None:
        self._now, self._end = monotonic, None if seconds is None else monotonic() + seconds

    def left(self) -> float | None:
        """Return the seconds left; None for no limit."""
        return None if self._end is None else max(0.0, self._end - self._now())
