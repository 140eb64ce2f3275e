"""Brings an index up to what the files are: only what changed is read, only rows that changed are written.

A file is taken for unchanged if its size, times and inode are those noted, and it had rested when it was read; else
its bytes decide (as in git, a file changed twice within one tick of the clock looks the same from outside).
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter
from os import stat_result
from typing import NamedTuple

from mdmem.search.index.database import LENGTHS, length_byte, number
from mdmem.search.index.model import IndexSource
from mdmem.search.index.piece import KINDS, IndexedContent, IndexedPiece
from mdmem.search.index.row_text import digest, read_content
from mdmem.search.words.terms import terms

_RESTED = 100_000_000  # nanoseconds between a file's last change and its reading
_COARSE = 2_000_000_000  # where the file system keeps whole seconds only


Looks = tuple[int, int, int, int]


class IndexedFile(NamedTuple):
    """A file as an index has it."""

    id: int
    looks: Looks
    rested: bool  # when it was read; else it may be another and look the same
    digest: bytes

    def same(self, found: stat_result) -> bool:
        """Return True for a file that looks so only if it must be the one that was read."""
        return self.rested and self.looks == file_stamp(found)


def known(file: int, size: int, modified: int, changed: int, inode: int, seen: int, digest: bytes) -> IndexedFile:
    """Note a file that was read at a time (`seen`, nanoseconds), as the table of files has it."""
    last = max(modified, changed)
    rested = seen - last > (_COARSE if last % 1_000_000_000 == 0 else _RESTED)
    return IndexedFile(file, (size, modified, changed, inode), rested, digest)


# what changes when a file does: size, times in nanoseconds, inode; asked of every file before every search
file_stamp: Callable[[stat_result], Looks] = attrgetter("st_size", "st_mtime_ns", "st_ctime_ns", "st_ino")


class FileToIndex(NamedTuple):
    """A file that is to be written into an index."""

    path: str
    stat: stat_result
    data: bytes
    digest: bytes
    seen: int


def changed_files(
    held: Mapping[str, IndexedFile], source: IndexSource, rested: Callable[[str, IndexedFile], None]
) -> tuple[list[FileToIndex], list[str]]:
    """Find what is new or has other content, and what is gone; `rested` is told of files that only look different."""
    new: list[FileToIndex] = []
    there = set()
    for path, stat in source.files():
        there.add(path)
        old = held.get(path)
        if old and old.same(stat):
            continue
        seen = time.time_ns()
        data = source.read(path)
        if data is None:
            there.discard(path)
            continue
        said = digest(data)
        if old and old.digest == said:
            rested(path, known(old.id, *file_stamp(stat), seen, said))
        else:
            new.append(FileToIndex(path, stat, data, said, seen))
    return new, [path for path in held if path not in there]


Kept = dict[int, list[tuple[int, int]]]  # what a row said → (row, norm)


class IndexWriter:
    """Writes files into an index, inside a transaction that the caller began."""

    def __init__(self, connection: sqlite3.Connection, norms: bytearray) -> None:
        self._run, self._many, self.norms = connection.execute, connection.executemany, norms
        self.live = self.total = 0  # how many rows more or less, and terms in them
        self._next = [self._top(table) + 1 for table in ("files", "spots", "rows")]
        self._next[2] = max(self._next[2], len(norms))

    def put(self, found: FileToIndex, source: IndexSource) -> IndexedFile:
        """Write a file; rows whose text it held before keep their words."""
        template = source.template(found.path)
        content = read_content(found.path, found.data, template, source.ignored(found.path), source.max_lines)
        old = self._run("SELECT id FROM files WHERE path = ?", (found.path,)).fetchone()
        file = old[0] if old else self._id(0)
        self._run(
            "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (file, found.path, template.kind if template else "", content.agent, "\n".join(content.tags),
             *file_stamp(found.stat), found.seen, found.digest),
        )  # fmt: skip
        self._rows(file, content, self._kept(file) if old else {})
        return known(file, *file_stamp(found.stat), found.seen, found.digest)

    def drop(self, path: str) -> None:
        """Take a file out."""
        for (file,) in self._run("SELECT id FROM files WHERE path = ?", (path,)).fetchall():
            self._kept(file)
            self._run("DELETE FROM files WHERE id = ?", (file,))

    def _kept(self, file: int) -> Kept:
        """Take a file's rows out, and give them by what they said: their words may be used again."""
        kept: Kept = {}
        for row, said in self._run("SELECT id, said FROM rows WHERE file = ? ORDER BY ordinal DESC", (file,)):
            kept.setdefault(said, []).append((row, self.norms[row]))
            self._norm(row, 0)
        self._run("DELETE FROM rows WHERE file = ?", (file,))
        self._run("DELETE FROM spots WHERE file = ?", (file,))
        return kept

    def _rows(self, file: int, content: IndexedContent, kept: Kept) -> None:
        first = self._next[1]
        spots = [(self._id(1), file, spot.title, spot.trail, spot.date) for spot in content.spots]
        self._many("INSERT INTO spots VALUES (?, ?, ?, ?, ?)", spots)
        places = ((first + at, " ".join(terms(spot.words))) for at, spot in enumerate(content.spots))
        self._many("INSERT INTO places(rowid, terms) VALUES (?, ?)", places)
        rows: list[tuple[object, ...]] = []
        self._many("INSERT INTO words(rowid, terms) VALUES (?, ?)", self._said(file, first, content, kept, rows))
        self._many("INSERT INTO rows VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)

    def _said(
        self, file: int, first: int, content: IndexedContent, kept: Kept, rows: list[tuple[object, ...]]
    ) -> Iterator[tuple[int, str]]:
        """Return the words of the rows that are new, and gather all rows on the way."""
        for ordinal, piece in enumerate(content.pieces):
            said = _number(piece)
            again = kept.get(said)
            row, norm = again.pop() if again else (self._id(2), 0)
            found = [] if norm else terms(piece.words)
            self._norm(row, norm or length_byte(len(found)))
            rows.append(
                (row, file, ordinal, piece.line, piece.start, piece.end - piece.start, KINDS.index(piece.kind),
                 first + piece.spot, number(piece.date), piece.speaker or None, said)
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
    """Return a number for what a row says."""
    return int.from_bytes(digest(piece.text.encode("utf-8", "surrogateescape"), 6), "big", signed=True)
