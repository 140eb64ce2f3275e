"""The namespace of the index: words, vectors, and what a search left out."""

# The index, the vectors and their helpers are imported on first use, to keep the start of other commands short.
from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import ACCESSES, WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.messages.catalog import say
from mdmem.search.index.shared_refresh import SharedRefresh

if TYPE_CHECKING:
    from mdmem.search.index import IndexRow, SearchIndex
    from mdmem.search.index.model import IndexStatus
    from mdmem.search.vectors.service import VectorSearch


class Index(TypedCalls):
    """The namespace `Workspace.index`: derived from the files, and safe to delete at any time."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config
        self._shared = SharedRefresh()

    @cached_property
    def words(self) -> SearchIndex:
        """Return the word index."""
        from mdmem.search.index.indexed_files import open_index

        if self._config.settings.memory.enabled and not self._config.has_state(".gitignore"):
            with suppress(MdmemError, OSError):  # a read-only folder has its index elsewhere
                self._config.pen().begin()
        return open_index(self._config, self._shared)

    @cached_property
    def meaning(self) -> VectorSearch:
        """Return the vector search, if the settings name a backend."""
        from mdmem.search.vectors.service import VectorSearch

        return VectorSearch(self._config)

    def near(self, question: str) -> list[tuple[IndexRow, float]]:
        """Return the rows nearest in meaning to a question; none without a backend."""
        return self.meaning.near(question, self.words) if self._config.settings.vectors.backend != "none" else []

    def refreshed_once(self) -> AbstractContextManager[None]:
        """Return a block whose questions share one refresh of the word index."""
        return self._shared.block()

    def refresh(self) -> None:
        """Bring the word index up to date with the files; each search does so."""
        self.words.refresh()

    def report(self, progress: Callable[[int, int], None]) -> None:
        """Call a function with (files done, all files) whenever the word index is built from nothing."""
        self.words.report(progress)

    def rebuild(self) -> None:
        """Rebuild the word index from the files, and add missing vectors."""
        self.words.rebuild()
        if self.meaning.wanted:
            self.meaning.fill(self.words)

    def check(self) -> bool:
        """Compare the word index with a new one, which replaces it; return True if they are equal."""
        self.words.refresh()
        return self.words.check()

    @property
    def rebuilt(self) -> bool:
        """Return True if the word index was missing, outdated or damaged when it was opened, and was rebuilt."""
        return self.words.rebuilt

    def status(self) -> IndexStatus:
        """Return the status of the word index; `meaning.status()` returns that of the vectors."""
        return self.words.status()

    def forget(self) -> None:
        """Drop every word, vector and count of texts that no file contains; the next search rebuilds the index."""
        self.words.forget()
        if self._config.has_state("vectors.db"):
            from mdmem.search.vectors.service import purge_vectors

            purge_vectors(self._config, self.words)
        counted = [one for one in self._config.everyone() if one.has_state(ACCESSES)]
        if counted:
            from mdmem.linter.masking import mask
            from mdmem.search.access_counts import keep_counts
            from mdmem.text.entry import statement_key

            self.words.refresh()
            rows = self.words.rows_with_text(sorted(self.words.text_numbers()))
            keys = {statement_key(mask(row.text)) for row in rows}
            for one in counted:
                keep_counts(one, keys)

    def warning(self, question: str = "") -> str:
        """Return what a search left out: the end of a long question, files that it did not read, a missing backend."""
        left = (self._cut_warning(question), self._unread(), self._outside(), self._meaning_warning())
        return "\n".join(filter(None, left))

    def _outside(self) -> str:
        links = self.words.outside if self._config.settings.memory.enabled else ()
        return say(self._config.lang, "pen.outside-links", paths=", ".join(links)) if links else ""

    def _unread(self) -> str:
        large = self.words.too_large if self._config.settings.memory.enabled else ()
        if not large:
            return ""

        most = self._config.settings.lint.max_bytes
        return say(self._config.lang, "pen.too-large", paths=", ".join(large), bytes=most)

    def _cut_warning(self, question: str) -> str:
        most = self._config.settings.search.query_chars
        if len(question) <= most:
            return ""

        return say(self._config.lang, "pen.question-cut", most=most, all=len(question))

    def _meaning_warning(self) -> str:
        """Return why a search used words alone although the settings name a backend; once, else empty."""
        own = self._config.own_settings or b""  # untrusted settings count too
        asked = self._config.settings.vectors.backend != "none" or b"vectors" in own
        return self.meaning.warning() if asked else ""
