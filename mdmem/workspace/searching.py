"""The facade's part that finds: search, and the index behind it."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.core.tokens import TokenCounter
from mdmem.errors import MdmemError
from mdmem.workspace.config import ACCESSES
from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    from mdmem.index import Index, Row
    from mdmem.workspace.meaning import Meaning
    from mdmem.workspace.recall import Recalled
    from mdmem.workspace.search import Hit


class Searching(Facade):
    """What `Workspace` can find."""

    @cached_property
    def index(self) -> Index:
        """The derived index of this workspace; safe to delete at any time."""
        from mdmem.workspace.index_source import index_of

        if self.config.settings.memory.enabled and not self.config.has_state(".gitignore"):
            with suppress(MdmemError, OSError):  # a folder that cannot be written has its index elsewhere
                self.config.pen().begin()
        return index_of(self.config)

    @cached_property
    def meaning(self) -> Meaning:
        """Finding by meaning, where the settings name a backend for it; its vectors are safe to delete at any time."""
        from mdmem.workspace.meaning import Meaning

        return Meaning(self.config)

    def search(
        self,
        q: str,
        limit: int | None = None,
        *,
        kinds: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
        tags: Sequence[str] = (),
        agent: str | None = None,
        archive: bool | str = False,
    ) -> tuple[Hit, ...]:
        """Find entries, turns and other text by words, the best first; nothing a person can see is written.

        Args:
            q: any text. What holds a quotation `"…"` comes first, and without other words nothing else answers;
                `-word` must not stand in it, `word*` may go on; AND, OR and NOT between words. Where the live files
                hold little of it, the archive answers too (`Hit.kind` is "archive").
            limit: how many at most; as many as `[recall] limit` says without it.
            kinds: only in files of these kinds (memory, daily, session, …), or only pieces of these: entry, turn.
            since: only what is dated on or after this day, as in 2026-02-13.
            until: only what is dated on or before this day.
            tags: only entries that carry all of these tags.
            agent: only what belongs to this agent, or to nobody in particular.
            archive: True looks into the archive too, `"only"` nowhere else.

        Raises:
            UsageError: the limit is below 1, or a date is none.

        >>> [hit.path for hit in Workspace("workspace").search("面试", limit=3)]
        """
        from mdmem.workspace.search import Filter, search

        given = Filter(tuple(kinds), since or "", until or "", tuple(tags), agent, archive)
        most = self.config.settings.recall.limit if limit is None else limit
        return search(self.config, self.index, q, most, given, self._near)

    def _near(self, q: str) -> list[tuple[Row, float]]:
        """Give the rows that say what a question means, where the settings name a backend for that."""
        return self.meaning.near(q, self.index) if self.config.settings.vectors.backend != "none" else []

    def forget_traces(self) -> None:
        """Keep no word, no vector and no count of what no file says any more; the next search builds the index anew."""
        self.index.forget()
        if self.config.has_state("vectors.db"):
            from mdmem.workspace.meaning import forget_meaning

            forget_meaning(self.config, self.index)
        if self.config.has_state(ACCESSES):
            from mdmem.core.key import entry_key
            from mdmem.linter.secrets import mask
            from mdmem.workspace.access_counts import keep_counts

            self.index.refresh()
            keep_counts(
                self.config, (entry_key(mask(row.text)) for row in self.index.saying(sorted(self.index.said())))
            )

    def search_warning(self, q: str = "") -> str:
        """Return what a search left out: the end of a long question, files too large to read, a missing backend."""
        return "\n".join(filter(None, (self._cut_warning(q), self._unread(), self._meaning_warning())))

    def _unread(self) -> str:
        large = self.index.too_large if self.config.settings.memory.enabled else ()
        if not large:
            return ""
        from mdmem.workspace.words import say

        most = self.config.settings.lint.max_bytes
        return say(self.config.lang, "too-large", paths=", ".join(large), bytes=most)

    def _cut_warning(self, q: str) -> str:
        most = self.config.settings.search.query_chars
        if len(q) <= most:
            return ""
        from mdmem.workspace.words import say

        return say(self.config.lang, "question-cut", most=most, all=len(q))

    def _meaning_warning(self) -> str:
        """Say why a search found by words alone, though the settings ask for more; once, else empty."""
        own = self.config.own_settings or b""  # one that is not heard yet is no setting
        asked = self.config.settings.vectors.backend != "none" or b"vectors" in own
        return self.meaning.warning() if asked else ""

    def recall(
        self,
        q: str,
        *,
        recent: Sequence[str] = (),
        budget: int | None = None,
        persona: str = "",
        agent: str | None = None,
        counter: TokenCounter | None = None,
    ) -> Recalled:
        """Find what a prompt needs to know of the past, as a block within a budget; counts as an access.

        Args:
            q: the current message.
            recent: the last rounds, oldest first; the last of them enrich the question.
            budget: tokens of the block; None leaves it to `[recall] budget`.
            persona: who asks, as `[recall] persona` names them.
            agent: only what belongs to this agent, or to nobody in particular.
            counter: counts the tokens; None takes the one that `[tokens]` names.

        >>> Workspace("workspace").recall("面试是哪天？", budget=200).text
        """
        from mdmem.workspace.recall import recall
        from mdmem.workspace.tokens import token_counter

        return recall(
            self.config, self.index, q, self._near, recent=recent, budget=budget, persona=persona, agent=agent,
            counter=counter or token_counter(self.config.settings.tokens),
        )  # fmt: skip
