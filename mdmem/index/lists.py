"""The lists of an index: which rows hold a word, and which places; read once, as long as the index stays as it is."""

from __future__ import annotations

import sqlite3
from array import array
from json import loads

from mdmem.core.words import Phrase

_KEPT = 4_000_000  # numbers that are remembered, of four bytes
_ROWS = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
_PLACES = "SELECT group_concat(spots.id) FROM places JOIN spots ON spots.id = places.rowid WHERE places MATCH ?"


class Lists:
    """Reads the lists of an index as it is at one moment."""

    def __init__(self, connection: sqlite3.Connection, norms: bytes | bytearray, live: int, total: int) -> None:
        """Bind to an index.

        Args:
            connection: its database.
            norms: the length of each row in steps, 0 for one that is gone.
            live: rows that are there.
            total: terms in them.
        """
        self._run = connection.execute
        self.norms, self.live, self.average = norms, live, total / live if live else 1.0
        self.shortest = min(filter(None, set(norms)), default=1)
        self.spots = int(self._run("SELECT count(*) FROM spots").fetchone()[0])
        self._kept: dict[tuple[str, str], array[int]] = {}
        self._size = 0

    def rows(self, term: str) -> array[int]:
        """Give the rows that hold a term."""
        return self._read(_ROWS, quoted(term))

    def beginning(self, phrase: Phrase) -> array[int]:
        """Give the rows that hold a word which begins so."""
        found = set(self._read(_ROWS, quoted(phrase.terms[0]) + "*"))
        return array("I", sorted(found.union(*map(self.rows, phrase.terms[1:]))))

    def holding(self, phrase: Phrase) -> set[int]:
        """Give the rows that hold all terms of a phrase."""
        first, *more = map(self.rows, phrase.terms)
        return set(first).intersection(*more)

    def places(self, term: str) -> array[int]:
        """Give the places whose heading, date or file name holds a term."""
        return self._read(_PLACES, quoted(term))

    def _read(self, sql: str, asked: str) -> array[int]:
        known = self._kept.get((sql, asked))
        if known is None:
            # one row of text: the interpreter's lock would be let go and taken again for each of a thousand rows
            said = self._run(sql, (asked,)).fetchone()[0]
            known = array("I", loads(f"[{said}]") if said else ())
            if sql is _ROWS and self.live + 1 < len(self.norms):
                norms, end = self.norms, len(self.norms)
                known = array("I", [row for row in known if row < end and norms[row]])
            self._keep((sql, asked), known)
        return known

    def _keep(self, key: tuple[str, str], found: array[int]) -> None:
        if self._size > _KEPT:
            self._kept.clear()
            self._size = 0
        self._kept[key] = found
        self._size += len(found)


def quoted(term: str) -> str:
    """Write a term as FTS5 takes any text."""
    return '"' + term.replace('"', '""') + '"'
