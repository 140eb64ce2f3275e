"""Find the piece of knowledge where a pattern belongs: what the session ran, else what the search finds."""

# The search is imported for the first question: a session that ran one piece asks none.
from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.knowledge.plan_runs import RUNS, read_run
from mdmem.knowledge.read import OpenPiece, is_piece, list_pieces, path_of
from mdmem.learning.edits import pattern_key
from mdmem.learning.rules import has_same_words
from mdmem.sessions.read import head_document
from mdmem.text.document import Entry

if TYPE_CHECKING:
    from mdmem.search.indexes import Index


class PieceFinder:
    """Finds pieces for the patterns of one session; each search is made once."""

    def __init__(self, config: WorkspaceConfig, session: str) -> None:
        """Bind to a session by its path."""
        self._config, self._session = config, session
        self._found: dict[str, str] = {}  # by what was searched for

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The pieces that may be changed: nothing but an update changes those of a bundle."""
        own = (one for one in list_pieces(self._config) if one.trusted and one.described)
        return tuple(one.name for one in own if not self._config.bundles.owner(path_of(self._config, one.name)))

    @cached_property
    def _ran(self) -> tuple[str, ...]:
        """The pieces that the session ran."""
        front = head_document(self._config, self._session).front_matter
        stamps = front.values.get(RUNS) if front else None
        names = (read_run(str(stamp)).name.piece for stamp in (stamps if isinstance(stamps, list) else ()))
        return tuple(one for one in dict.fromkeys(names) if one in self.names)

    @cached_property
    def _index(self) -> Index:
        from mdmem.search.indexes import Index

        return Index(self._config)

    def piece(self, purposes: Sequence[str]) -> str:
        """Return the name of the piece that fits one of some purposes; empty if none does."""
        return self._ran[0] if len(self._ran) == 1 else self._first_fitting(purposes)

    def is_same(self, one: Sequence[str], other: Sequence[str]) -> bool:
        """Return whether two runs had the same purpose: they share words, or the same piece fits both."""
        if has_same_words(one, other, self._config.settings.learning.same_purpose):
            return True
        found = self._first_fitting(one)
        return bool(found) and found == self._first_fitting(other)

    def _first_fitting(self, purposes: Sequence[str]) -> str:
        return next(filter(None, map(self._fitting, purposes)), "") if self.names else ""

    def _fitting(self, purpose: str) -> str:
        if purpose not in self._found:
            from mdmem.knowledge.fitting import fitting_pieces

            fits = fitting_pieces(self._config, self._index.words, purpose, self._index.near)
            self._found[purpose] = next((one for one in fits if one in self.names), "")
        return self._found[purpose]


def said_already(piece: OpenPiece | None, key: Sequence[str]) -> Entry | None:
    """Return the entry of a piece that says a pattern; None if none does."""
    entries = piece.document.entries if piece else ()
    return next((one for one in entries if frozenset(pattern_key(one.text)).issuperset(key)), None)


def free_name(config: WorkspaceConfig, name: str) -> str:
    """Return the name of a new piece: this one, or the first one with a number that is not taken."""
    number = 2
    found = name
    while is_piece(config, found):
        found, number = f"{name}-{number}", number + 1
    return found
