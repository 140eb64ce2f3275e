"""The journey of a search: the index brought up to date, asked, and its rows told as hits."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from mdmem.core.entry import read_entry
from mdmem.core.words import Query, parse_query, terms
from mdmem.errors import UsageError
from mdmem.index import Index, Row
from mdmem.recall import Found
from mdmem.workspace.config import Config

ARCHIVE = "archive"


Near = Callable[[str], Iterable[tuple[Row, float]]]  # what a vector backend gives: rows with a share from 0 to 1


class Hit(NamedTuple):
    """One thing that was found."""

    path: str  # POSIX, from the root
    line: int  # 1-based
    text: str  # as it stands in the file, without what a reader would not see
    score: float
    why: tuple[str, ...]  # the words of the question that its text or its place holds
    date: str  # ISO, or empty
    kind: str  # of the file: memory, fastmemo, daily, session, …; empty for none that is known
    key: str  # what names the entry to the pen; empty for what is no entry
    section: str  # the heading above it


class Filter(NamedTuple):
    """What a search is held to; see `Workspace.search`."""

    kinds: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    tags: tuple[str, ...] = ()
    agent: str | None = None
    archive: bool | str = False

    def keep(self, row: Row) -> bool:
        """Tell whether a row counts at all."""
        archived = row.file_kind == ARCHIVE or row.path.startswith(f"{ARCHIVE}/")
        if archived != (self.archive == "only") and not (archived and self.archive is True):
            return False
        if self.kinds and row.file_kind not in self.kinds and row.kind not in self.kinds:
            return False
        if self.agent is not None and row.agent not in ("", self.agent):
            return False
        return not (self.since and row.date < self.since) and not (self.until and not "" < row.date <= self.until)


def search(config: Config, index: Index, question: str, limit: int, given: Filter, near: Near) -> tuple[Hit, ...]:
    """Find what answers a question; see `Workspace.search`."""
    from mdmem.workspace.recall import ranked

    if limit < 1:
        raise UsageError("a search gives at least one hit", hint="limit is a whole number above 0")
    if not config.settings.memory.enabled:
        return ()
    index.refresh()
    query = parse_query(question)
    found, candidates = ranked(config, index, question, _tagged(given), near, limit=limit)
    return tuple(hit(candidates.indexed[one.row.path, one.row.place], query, one) for one in found)


def _tagged(given: Filter) -> Callable[[Row], bool]:
    return given.keep


def hit(row: Row, query: Query, found: Found) -> Hit:
    """Tell what was found as it stands in its file."""
    from mdmem.core.intent import entry_key

    key = ""
    if row.kind == "entry":
        key = read_entry(row.text).id or entry_key(row.text)
    held = set(terms(f"{row.text} {row.title} {row.trail} {row.path} {row.date}"))
    why = tuple(word for word in query.words if word in held) or found.why
    return Hit(row.path, row.line + 1, row.text, round(found.score, 4), why, row.date, row.file_kind, key, row.title)
