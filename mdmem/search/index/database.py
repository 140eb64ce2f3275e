"""The tables of the index database, its lock, and the seal that detects foreign changes.

A row holds the location and attributes of a piece. Its terms are in FTS5, without text and positions (`detail=none`),
tokenized by mdmem. Rows of removed pieces stay in FTS5 until the next build and are ignored: `norms` holds a byte for
each row, its quantized length, 0 for a removed one.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from math import log2

from mdmem.store.files import make_private, open_private
from mdmem.store.locks import DescriptorLock

_SCHEMA = """
CREATE TABLE facts(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE files(
    id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, kind TEXT, agent TEXT, tags TEXT, size INT, modified INT,
    changed INT, inode INT, seen INT, digest BLOB
);
CREATE TABLE spots(id INTEGER PRIMARY KEY, file INT NOT NULL, title TEXT, trail TEXT, date TEXT);
CREATE TABLE rows(
    id INTEGER PRIMARY KEY, file INT NOT NULL, ordinal INT, line INT, start INT, size INT, kind INT, spot INT,
    date INT, speaker TEXT, said INT
);
CREATE INDEX rows_file ON rows(file, ordinal);
CREATE INDEX rows_date ON rows(date) WHERE date > 0;
CREATE INDEX spots_file ON spots(file);
CREATE VIRTUAL TABLE words USING fts5(
    terms, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
);
CREATE VIRTUAL TABLE places USING fts5(
    terms, content='', detail=none, columnsize=0, tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\\]^_`{|}~'"
);
"""
_AT_ONCE = 64_000_000  # bytes of terms that are buffered before they are written: fewer segments to merge
_STEPS = 12  # steps of the length byte per doubling


def connect(path: str, seconds: float) -> sqlite3.Connection:
    """Open a database that is ours or new; `seconds` limits the wait for other writers."""
    connection = sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False)
    for pragma in ("trusted_schema=OFF", "journal_mode=MEMORY", "synchronous=OFF", "temp_store=MEMORY",
                   "cache_size=-16000", "mmap_size=268435456"):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Create the tables."""
    connection.execute("PRAGMA page_size=4096")
    connection.executescript(_SCHEMA)
    connection.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", (_AT_ONCE,))


@cache
def length_byte(length: int) -> int:
    """Return a length in terms as a byte, in steps of about 6 %."""
    return min(255, 1 + round(_STEPS * log2(length + 1)))


LENGTHS = (0, *(round(2 ** ((byte - 1) / _STEPS) - 1) for byte in range(1, 256)))  # the length of each byte


def number(date: str) -> int:
    """Return an ISO date as a number; 0 if it is empty."""
    return int(date.replace("-", "")) if date else 0


@cache
def date(number: int) -> str:
    """Return the ISO date of a number."""
    return f"{number // 10_000:04}-{number // 100 % 100:02}-{number % 100:02}" if number else ""


def contents(connection: sqlite3.Connection) -> tuple[object, ...]:
    """Return the content of an index independent of row numbers: rows by file, and row counts by term."""
    rows = connection.execute(
        "SELECT path, files.kind, agent, tags, digest, ordinal, line, start, rows.size, rows.kind, title, trail,"
        " rows.date, speaker, said, (SELECT count(*) FROM rows) FROM rows JOIN files ON files.id = rows.file"
        " JOIN spots ON spots.id = rows.spot ORDER BY path, ordinal"
    ).fetchall()
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.held USING fts5vocab(main, words, instance)")
    connection.execute("CREATE VIRTUAL TABLE IF NOT EXISTS temp.about USING fts5vocab(main, places, instance)")
    words = connection.execute(
        "SELECT term, count(*) FROM held JOIN rows ON rows.id = held.doc GROUP BY term ORDER BY term"
    ).fetchall()
    places = connection.execute(
        "SELECT term, count(*) FROM about JOIN spots ON spots.id = about.doc GROUP BY term ORDER BY term"
    ).fetchall()
    return rows, words, places


class BusyError(Exception):
    """Another process held the lock for too long."""


def prepare(path: str, *, above: bool) -> None:
    """Create the folder of an index, and with `above` its parents; raises OSError."""
    folder = os.path.dirname(path)
    if above:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    elif not os.path.lexists(folder):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        raise NotADirectoryError(folder)
    for name in (folder, path):
        make_private(name)


@contextmanager
def locked(path: str, seconds: float) -> Iterator[None]:
    """Hold the lock file beside an index; raises BusyError, OSError."""
    until = time.monotonic() + seconds
    lock = DescriptorLock(open_private(f"{path.removesuffix('.db')}.lock", os.O_RDWR | os.O_CREAT))
    try:
        if not lock.acquire(until):
            raise BusyError
        yield
    finally:
        with suppress(OSError):
            lock.release()


_TICK = 0.011  # seconds; two writes within one tick of the system's clock have the same time


def mark(path: str, version: str) -> str | None:
    """Return version, inode, size and times of a file; None if it is not a regular file."""
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return f"{version} {seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"


def valid_seal(path: str, version: str) -> str | None:
    """Return the mark of an index if it has not changed since it was sealed."""
    try:
        with open(_seal_path(path), "rb", opener=_unblocked) as stream:
            sealed = stream.read(512).decode("ascii", "replace")
    except OSError:
        return None
    found = mark(path, version)
    return found if found == sealed else None


def _unblocked(path: str, flags: int) -> int:
    """Open a file without waiting at a FIFO, and none behind a link."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0))


def seal(path: str, version: str) -> str | None:
    """Write the mark of an index as its seal, and wait until later writes have another time."""
    found = mark(path, version)
    if found:
        temporary = f"{_seal_path(path)}.{os.getpid()}"
        descriptor = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(found.encode())
        os.replace(temporary, _seal_path(path))
        time.sleep(_TICK)
    return found


def remove(path: str) -> None:
    """Remove an index with all files beside it; missing ones are ignored, and so is a folder that is a link."""
    if os.path.islink(os.path.dirname(path)):
        return
    for name in all_of(path):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def all_of(path: str) -> tuple[str, ...]:
    """Return the paths of an index and of all files beside it: seal, unfinished build, SQLite's journals."""
    return (_seal_path(path), *(path + ending for ending in ("", "-journal", "-wal", "-shm", ".new", ".new-journal")))


def _seal_path(path: str) -> str:
    return f"{path.removesuffix('.db')}.seal"
