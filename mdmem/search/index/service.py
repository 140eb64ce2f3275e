"""The namespace of the index: what searches look words and meaning up in, and what they left out."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import ACCESSES, WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem.search.index import IndexRow, SearchIndex
    from mdmem.search.index.model import IndexStatus
    from mdmem.search.vectors.service import VectorSearch


class Index:
    """The namespace `Workspace.index`: derived from the files, and safe to delete at any time."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    @cached_property
    def words(self) -> SearchIndex:
        """The index of words."""
        from mdmem.search.index.indexed_files import open_index

        if self._config.settings.memory.enabled and not self._config.has_state(".gitignore"):
            with suppress(MdmemError, OSError):  # a folder that cannot be written has its index elsewhere
                self._config.pen().begin()
        return open_index(self._config)

    @cached_property
    def meaning(self) -> VectorSearch:
        """The vectors, where the settings name a backend for them."""
        from mdmem.search.vectors.service import VectorSearch

        return VectorSearch(self._config)

    def near(self, question: str) -> list[tuple[IndexRow, float]]:
        """Return the rows that say what a question means; none where no backend is set."""
        return self.meaning.near(question, self.words) if self._config.settings.vectors.backend != "none" else []

    def refresh(self) -> None:
        """Bring the index of words up to the files; each search does so."""
        self.words.refresh()

    def rebuild(self) -> None:
        """Build the index of words anew from the files, and the vectors that are missing."""
        self.words.rebuild()
        if self.meaning.wanted:
            self.meaning.fill(self.words)

    def check(self) -> bool:
        """Compare the index of words with one built anew, which replaces it; return True if they are equal."""
        self.words.refresh()
        return self.words.check()

    @property
    def rebuilt(self) -> bool:
        """True if the index of words was missing, old or damaged when it was opened, and was built anew."""
        return self.words.rebuilt

    def status(self) -> IndexStatus:
        """Return what the index of words holds, and where it is; `meaning.status()` is that of the vectors."""
        return self.words.status()

    def forget(self) -> None:
        """Keep no word, no vector and no count of what no file says any more; the next search builds the index anew."""
        self.words.forget()
        if self._config.has_state("vectors.db"):
            from mdmem.search.vectors.service import purge_vectors

            purge_vectors(self._config, self.words)
        if self._config.has_state(ACCESSES):
            from mdmem.linter.detect.secrets import mask
            from mdmem.search.access_counts import keep_counts
            from mdmem.text.entry import entry_key

            self.words.refresh()
            keep_counts(
                self._config, (entry_key(mask(row.text)) for row in self.words.saying(sorted(self.words.said())))
            )

    def warning(self, question: str = "") -> str:
        """Return what a search left out: the end of a long question, files too large to read, a missing backend."""
        return "\n".join(filter(None, (self._cut_warning(question), self._unread(), self._meaning_warning())))

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
        """Say why a search found by words alone, though the settings ask for more; once, else empty."""
        own = self._config.own_settings or b""  # one that is not heard yet is no setting
        asked = self._config.settings.vectors.backend != "none" or b"vectors" in own
        return self.meaning.warning() if asked else ""
