"""What an index answers with."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

from mdmem.formats.template import Template
from mdmem.search.index.ignored import Ignored

if TYPE_CHECKING:
    from os import stat_result


class IndexRow(NamedTuple):
    """A piece of a file that was found; its text is read from the file when it is answered."""

    id: int  # holds until the index is built again
    path: str
    file_kind: str  # by its template; empty for a file of no known kind
    agent: str  # whose file it is; empty for everybody's
    ordinal: int  # its place among the pieces of its file, from 0
    line: int  # 0-based
    start: int  # characters of the file's text
    size: int
    kind: str  # entry, turn, text, heading, summary
    spot: int  # the place it shares with the rows under the same heading
    title: str  # that heading
    trail: str  # those above it, ` › ` between
    date: str  # ISO: the entry's own, else the heading's, else the file's; empty
    speaker: str
    said: int  # the number of its text
    tags: tuple[str, ...] = ()  # of its file's front matter
    words: float = 0.0  # how well its own words answer (BM25 over the terms that it holds)
    place: float = 0.0  # how well its heading, file name and date answer (the same, over places)
    text: str = ""


class Holding(NamedTuple):
    """What a row holds of a query."""

    terms: tuple[tuple[int, float], ...]  # numbers and scores: words of the query first, then prefixes, then related
    length: int  # of the row, in terms


class IndexStatus(NamedTuple):
    """How an index stands."""

    place: str  # file, cache, memory: beside the files, in the user's cache folder, nowhere
    files: int
    rows: int
    bytes: int  # of the database
    text_bytes: int  # of the files it holds
    whole: bool  # False: was missing, old or changed by others, and has just been built


class IndexSource(NamedTuple):
    """The memory files of one workspace, seen by whoever may see them."""

    files: Callable[[], Iterable[tuple[str, stat_result]]]  # POSIX paths from the root; no links, nothing outside
    read: Callable[[str], bytes | None]  # None: no regular file, too large, not to be read
    template: Callable[[str], Template | None]
    ignored: Callable[[str], Ignored]  # what of a file is no memory
    too_large: Collection[str]  # the paths that `files` left out for their size when it was last asked
    max_lines: int  # of a file whose structure is read
    version: str  # changes with the code, the settings and the templates that rows depend on
