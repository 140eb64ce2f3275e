"""Search: refresh the index, query it, convert rows to `SearchHit`s."""

# `turn_filter` is imported when a search has such a filter: most have none.
from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MemoryOffError, UsageError
from mdmem.linter.masking import mask
from mdmem.messages.catalog import say
from mdmem.search.answer import AnswerRequest, AnswerSearch
from mdmem.search.candidates import ARCHIVE, Near, is_archived
from mdmem.search.index import IndexRow, SearchIndex
from mdmem.search.index.piece import ENTRIES
from mdmem.search.question import Query, RankedHit, parse_query
from mdmem.search.words.date_phrases import phrase_days
from mdmem.search.words.highlight import marks
from mdmem.text.entry import entry_key, plain, read_entry

_PIECES = ("entry", "turn", "text", "summary", "episode")  # kinds of pieces, which a search may filter by as well

KeepIndexed = Callable[[IndexRow], bool]


Withheld = Callable[[str, int], bool]  # whether nobody is given a line of a session, counted from 0


def nothing_withheld(_path: str, _line: int) -> bool:
    """Return False."""
    return False


def no_vector_hits(_: str) -> tuple[tuple[IndexRow, float], ...]:
    """Return the result of a workspace without a vector backend."""
    return ()


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One search result."""

    path: str  # POSIX, from the root
    line: int  # 1-based
    text: str  # the visible text in the file
    score: float
    why: tuple[str, ...]  # the words of the question in its text or heading, as written there
    date: str  # ISO, or empty
    kind: str  # of the file: memory, fastmemo, daily, session, archive, …; empty if unknown
    key: str  # the entry's name for the pen; empty if it is not an entry
    section: str  # the heading above it
    now: str = ""  # what holds instead, if a correction of this line waits


class SearchFilter(NamedTuple):
    """The filters of a search; see `Workspace.search`."""

    kinds: tuple[str, ...] = ()
    since: str | None = None
    until: str | None = None
    tags: tuple[str, ...] = ()
    agent: str | None = None
    archive: bool | str = False
    session: str | None = None
    role: str | None = None
    tool: str | None = None
    without: tuple[str, ...] = ()  # paths

    def keep(self, row: IndexRow) -> bool:
        """Return whether a row passes all filters but tags."""
        if row.path in self.without:
            return False
        archived = is_archived(row.file_kind, row.path)
        if archived != (self.archive == "only") and not (archived and self.archive is True):
            return False
        if self.kinds and row.file_kind not in self.kinds and row.kind not in self.kinds:
            return False
        if self.agent is not None and row.agent not in ("", self.agent):
            return False
        return not (self.since and row.date < self.since) and not (self.until and not "" < row.date <= self.until)

    def tagged(self, row: IndexRow) -> bool:
        """Return whether an entry or its file has all required tags."""
        if not self.tags:
            return True
        own = read_entry(row.text).tags if row.kind in ENTRIES else ()
        carried = {tag.casefold() for tag in (*own, *row.tags)}
        return all(tag.removeprefix("#").casefold() in carried for tag in self.tags)


def search(
    config: WorkspaceConfig,
    index: SearchIndex,
    question: str,
    limit: int | None,
    filters: SearchFilter,
    near: Near = no_vector_hits,
    withheld: Withheld = nothing_withheld,
) -> tuple[SearchHit, ...]:
    """Find the answers to a question; see `Workspace.search`.

    A line of a session that is `withheld` is found by its own words only.
    """
    limit = config.settings.recall.limit if limit is None else limit
    if limit < 1:
        raise UsageError("a search returns at least one result", hint="limit is a whole number above 0")
    filters = _with_days(config, filters)
    if filters.kinds:
        _check_kinds(config, filters.kinds)
    if not config.settings.memory.enabled:
        raise MemoryOffError(say(config.lang, "pen.off"), hint=say(config.lang, "pen.off.hint"))
    question = question[: config.settings.search.query_chars]
    query = parse_query(question, config.settings.recall.stop_words)
    is_turn = _turn_filter(config, filters)

    def accepts(filters: SearchFilter) -> KeepIndexed:
        return lambda row: (
            filters.keep(row) and is_turn(row) and (not row.text or (filters.tagged(row) and query.allows(row.text)))
        )

    asker = AnswerRequest(limit, neighbours=_PIECES[-1] not in filters.kinds)  # an episode's other lines tell of others
    archive = None if filters.archive else accepts(filters._replace(archive="only"))
    found, candidates, *_ = AnswerSearch(config, index, question, near, asker).answer(accepts(filters), archive)
    rows = ((candidates.indexed[one.row.path, one.row.ordinal], one) for one in found)
    return tuple(
        to_search_hit(config, row, query, one)
        for row, one in rows
        if _matching_words(row.text, query.sought) or not withheld(row.path, row.line)
    )


def _turn_filter(config: WorkspaceConfig, filters: SearchFilter) -> KeepIndexed:
    """Return whether a row is of the wanted session, role and tool."""
    if not (filters.session or filters.role or filters.tool):
        return lambda _: True
    from mdmem.search.turn_filter import TurnFilter

    return TurnFilter(config, filters.session, filters.role, filters.tool).keep


def _with_days(config: WorkspaceConfig, filters: SearchFilter) -> SearchFilter:
    """Return the filters with their days as dates; a phrase such as `yesterday` is counted from today."""
    since = _days(config, filters.since)[0] if filters.since else None
    until = _days(config, filters.until)[1] if filters.until else None
    return filters._replace(since=since, until=until)


def _days(config: WorkspaceConfig, phrase: str) -> tuple[str, str]:
    """Return the first and the last day that a date or a phrase means.

    Raises:
        UsageError: it means none.
    """
    try:
        return (date.fromisoformat(phrase).isoformat(),) * 2
    except ValueError:
        named = phrase_days(phrase, config.today)
    if named is None or named.start.startswith("-"):  # a day without a year
        hint = "write it as 2026-02-13, yesterday or last week"
        raise UsageError("`{day}` is not a valid date", hint=hint, facts={"day": phrase})
    return named.start, named.end


def _check_kinds(config: WorkspaceConfig, kinds: Iterable[str]) -> None:
    valid = (*config.schemas.kinds, *_PIECES)
    for kind in kinds:
        if kind not in valid:
            names = ", ".join(valid)
            raise UsageError(
                say(config.lang, "pen.no-such-kind", kind=kind), hint=say(config.lang, "pen.kinds", names=names)
            )


def to_search_hit(config: WorkspaceConfig, row: IndexRow, query: Query, found: RankedHit) -> SearchHit:
    """Return the hit of a row, with secrets masked."""
    text = mask(row.text)
    words = text if row.kind == "turn" else plain(text, config.fields)
    key = (read_entry(row.text).id or entry_key(row.text)) if row.kind in ENTRIES else ""
    about = f"{row.title} {row.trail} {row.path.rpartition('/')[2].removesuffix('.md')} {row.date}"
    why = dict.fromkeys(_matching_words(words, query.sought) + _matching_words(about, query.sought)) or found.why
    kind = ARCHIVE if is_archived(row.file_kind, row.path) else row.file_kind
    return SearchHit(row.path, row.line + 1, text, round(found.score, 4), tuple(why), row.date, kind, key, row.title)


def _matching_words(text: str, sought: frozenset[str]) -> list[str]:
    """Return the matching words of a text, as written there."""
    return [span.of(text) for span in marks(text, sought)]
