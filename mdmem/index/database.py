"""The tables of an index, and a connection to them.

A row says where a piece stands and what is asked of it besides its words; the words are in FTS5, without text and
without places (`detail=none`), split by ourselves. What left a file stays in FTS5 until the next build, and counts
for nothing: `norms` holds a byte for each row, its length in steps, 0 for one that is gone.
"""

from __future__ import annotations

import sqlite3
from functools import cache
from math import log2

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
_AT_ONCE = 64_000_000  # bytes of words that are gathered before they are written: fewer pieces to merge
_STEPS = 12  # of a length's byte to a doubling


def connect(path: str, seconds: float) -> sqlite3.Connection:
    """Open a database that is known to be ours, or to be new; waits so long for another's write."""
    connection = sqlite3.connect(path, timeout=seconds, isolation_level=None, check_same_thread=False)
    for pragma in ("trusted_schema=OFF", "journal_mode=MEMORY", "synchronous=OFF", "temp_store=MEMORY",
                   "cache_size=-16000", "mmap_size=268435456"):  # fmt: skip
        connection.execute(f"PRAGMA {pragma}")
    return connection


def create(connection: sqlite3.Connection) -> None:
    """Make the tables."""
    connection.execute("PRAGMA page_size=4096")
    connection.executescript(_SCHEMA)
    connection.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", (_AT_ONCE,))


@cache
def step(length: int) -> int:
    """Give a length, in terms, as a byte: steps of six in the hundred."""
    return min(255, 1 + round(_STEPS * log2(length + 1)))


LENGTHS = (0, *(round(2 ** ((byte - 1) / _STEPS) - 1) for byte in range(1, 256)))  # of each byte


def number(date: str) -> int:
    """Give an ISO date as a number, 0 where there is none."""
    return int(date.replace("-", "")) if date else 0


@cache
def date(number: int) -> str:
    """Give the ISO date of a number."""
    return f"{number // 10_000:04}-{number // 100 % 100:02}-{number % 100:02}" if number else ""


def contents(connection: sqlite3.Connection) -> tuple[object, ...]:
    """Give what an index says, whatever its row numbers are: rows by file, and how many hold each word."""
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
