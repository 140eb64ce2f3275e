"""Rows, files and status of the index."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from mdmem.formats.template import Template
from mdmem.search.index.ignored import Ignored

if TYPE_CHECKING:
    from os import stat_result


class IndexRow(NamedTuple):
    """An indexed piece of a file; its text is read from the file when it is returned."""

    id: int  # valid until the next rebuild
    path: str
    file_kind: str  # by its template; empty for an unknown kind
    agent: str  # the owner of the file; empty if shared
    ordinal: int  # its number among the pieces of its file, from 0
    line: int  # 0-based
    start: int  # in characters of the file's text
    size: int
    kind: str  # entry, turn, text, heading, summary
    spot: int  # the heading that it shares with other rows
    title: str  # that heading
    trail: str  # the headings above, joined by ` › `
    date: str  # ISO: the entry's own, else the heading's, else the file's; may be empty
    speaker: str
    text_number: int  # a number derived from its text
    tags: tuple[str, ...] = ()  # of its file's front matter
    word_score: float = 0.0  # BM25 over its terms
    heading_score: float = 0.0  # BM25 over the terms of its heading, file name and date
    text: str = ""


class Holding(NamedTuple):
    """The terms of a query in one row."""

    terms: tuple[tuple[int, float], ...]  # numbers and scores: words of the query, then prefixes, then related terms
    length: int  # of the row, in terms


@dataclass(frozen=True, slots=True)
class IndexStatus:
    """The state of an index."""

    place: str  # file, cache, memory: in the workspace, in the user's cache folder, in memory
    files: int
    rows: int
    bytes: int  # of the database
    text_bytes: int  # of the indexed files
    whole: bool  # False: it was missing, outdated or damaged, and has been rebuilt


class IndexSource(NamedTuple):
    """Access to the memory files of one workspace."""

    files: Callable[[], Iterable[tuple[str, stat_result]]]  # POSIX paths from the root; no links, nothing outside
    read: Callable[[str], bytes | None]  # None: not a regular file, too large, or not readable
    template: Callable[[str], Template | None]
    ignored: Callable[[str], Ignored]  # non-memory text by path
    too_large: Collection[str]  # the paths that `files` skipped for their size
    outside: Collection[str]  # the links that `files` skipped because they lead out of the workspace
    max_lines: int  # of a file that is parsed
    version: str  # changes with the code, the settings and the templates that rows depend on
