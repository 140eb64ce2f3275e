"""Updates an index: reads only changed files and writes only changed rows.

A file counts as unchanged if size, times and inode are the recorded ones and its last change was long enough before it
was read. Otherwise its content decides, because a file changed twice within one clock tick looks unchanged (as in git).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from operator import attrgetter
from os import stat_result
from typing import NamedTuple

from mdmem.search.index.database import LENGTHS, length_byte, number
from mdmem.search.index.model import IndexSource
from mdmem.search.index.piece import KINDS, IndexedContent, IndexedPiece
from mdmem.search.index.row_text import digest, read_content
from mdmem.search.words.terms import terms

_RESTED = 100_000_000  # nanoseconds between a file's last change and its reading
_COARSE = 2_000_000_000  # for file systems with whole seconds


Looks = tuple[int, int, int, int]


class IndexedFile(NamedTuple):
    """A file as recorded in an index."""

    id: int
    looks: Looks
    rested: bool  # its last change was long enough before it was read
    digest: bytes

    def same(self, found: stat_result) -> bool:
        """Return True if a file is certainly unchanged."""
        return self.rested and self.looks == file_stamp(found)


def file_record(file: int, size: int, modified: int, changed: int, inode: int, seen: int, digest: bytes) -> IndexedFile:
    """Return the record of a file that was read at `seen` (nanoseconds)."""
    last = max(modified, changed)
    rested = seen - last > (_COARSE if last % 1_000_000_000 == 0 else _RESTED)
    return IndexedFile(file, (size, modified, changed, inode), rested, digest)


# what changes when a file does: size, times in nanoseconds, inode; asked of every file before every search
file_stamp: Callable[[stat_result], Looks] = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


class FileToIndex(NamedTuple):
    """A file to be written into an index."""

    path: str
    stat: stat_result
    data: bytes
    digest: bytes
    seen: int


def changed_files(
    indexed: Mapping[str, IndexedFile], source: IndexSource, rested: Callable[[str, IndexedFile], None],
    without: Collection[str] = (),
) -> tuple[list[FileToIndex], list[str]]:  # fmt: skip
    """Return new or changed files, and removed paths; `rested` is called for files whose content is unchanged.

    Files `without` which the caller searches are left as they are indexed.
    """
    new: list[FileToIndex] = []
    present = set()
    for path, stat in source.files():
        present.add(path)
        old = indexed.get(path)
        if path in without or (old and old.same(stat)):
            continue
        seen = time.time_ns()
        data = source.read(path)
        if data is None:
            present.discard(path)
            continue
        digest_now = digest(data)
        if old and old.digest == digest_now:
            rested(path, file_record(old.id, *file_stamp(stat), seen, digest_now))
        else:
            new.append(FileToIndex(path, stat, data, digest_now, seen))
    return new, [path for path in indexed if path not in present]


ReusableRows = dict[int, list[tuple[int, int]]]  # text number → (row, norm)


class IndexWriter:
    """Writes files into an index, inside the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection, norms: bytearray) -> None:
        self._run, self._many, self.norms = connection.execute, connection.executemany, norms
        self.live = self.total = 0  # changes in the numbers of rows and terms
        self._next = [self._top(table) + 1 for table in ("files", "spots", "rows")]
        self._next[2] = max(self._next[2], len(norms))

    def put(self, found: FileToIndex, source: IndexSource) -> IndexedFile:
        """Write a file; rows whose text it contained before keep their terms."""
        template = source.template(found.path)
        content = read_content(found.path, found.data, template, source.ignored(found.path), source.max_lines)
        old = self._run("SELECT id FROM files WHERE path = ?", (found.path,)).fetchone()
        file = old[0] if old else self._id(0)
        self._run(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (file, found.path, template.kind if template else "", content.agent, "\n".join(content.tags),
             *file_stamp(found.stat), found.seen, found.digest),
        )  # fmt: skip
        self._rows(file, content, self._take_rows(file) if old else {})
        return file_record(file, *file_stamp(found.stat), found.seen, found.digest)

    def drop(self, path: str) -> None:
        """Remove a file."""
        for (file,) in self._run("SELECT id FROM files WHERE path = ?", (path,)).fetchall():
            self._take_rows(file)
            self._run("DELETE FROM files WHERE id = ?", (file,))

    def _take_rows(self, file: int) -> ReusableRows:
        """Remove a file's rows and return them by text number, so that their terms can be reused."""
        reusable: ReusableRows = {}
        for row, text_number in self._run("SELECT id, said FROM rows WHERE file = ? ORDER BY ordinal DESC", (file,)):
            reusable.setdefault(text_number, []).append((row, self.norms[row]))
            self._norm(row, 0)
        self._run("DELETE FROM rows WHERE file = ?", (file,))
        self._run("DELETE FROM spots WHERE file = ?", (file,))
        return reusable

    def _rows(self, file: int, content: IndexedContent, reusable: ReusableRows) -> None:
        first = self._next[1]
        spots = [(self._id(1), file, spot.title, spot.trail, spot.date) for spot in content.spots]
        self._many("INSERT INTO spots VALUES (?, ?, ?, ?, ?)", spots)
        places = ((first + at, " ".join(terms(spot.words))) for at, spot in enumerate(content.spots))
        self._many("INSERT INTO places(rowid, terms) VALUES (?, ?)", places)
        rows: list[tuple[object, ...]] = []
        self._many(
            "INSERT INTO words(rowid, terms) VALUES (?, ?)", self._new_terms(file, first, content, reusable, rows)
        )
        self._many("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _new_terms(
        self, file: int, first: int, content: IndexedContent, reusable: ReusableRows, rows: list[tuple[object, ...]]
    ) -> Iterator[tuple[int, str]]:
        """Yield the terms of new rows, and append all rows to `rows`."""
        for ordinal, piece in enumerate(content.pieces):
            text_number = _number(piece)
            again = reusable.get(text_number)
            row, norm = again.pop() if again else (self._id(2), 0)
            found = [] if norm else terms(piece.words)
            self._norm(row, norm or length_byte(len(found)))
            rows.append(
                (row, file, ordinal, piece.line, piece.start, piece.end - piece.start, KINDS.index(piece.kind),
                 first + piece.spot, number(piece.date), piece.speaker or None, text_number)
            )  # fmt: skip
            if found:
                yield row, " ".join(dict.fromkeys(found))

    def _norm(self, row: int, byte: int) -> None:
        if row >= len(self.norms):
            self.norms.extend(bytes(row + 1 - len(self.norms)))
        before, self.norms[row] = self.norms[row], byte
        self.live += bool(byte) - bool(before)
        self.total += LENGTHS[byte] - LENGTHS[before]

    def _id(self, table: int) -> int:
        self._next[table] += 1
        return self._next[table] - 1

    def _top(self, table: str) -> int:
        return int(self._run(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()[0])  # noqa: S608


def _number(piece: IndexedPiece) -> int:
    """Return the text number of a piece."""
    return int.from_bytes(digest(piece.text.encode("utf-8", "surrogateescape"), 6), "big", signed=True)
