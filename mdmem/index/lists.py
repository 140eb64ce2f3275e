"""The lists of an index: which rows hold a word, and which places; each is read once, and then only what was added."""

from __future__ import annotations

import sqlite3
from array import array
from json import loads

from mdmem.core.words import Phrase

_KEPT = 4_000_000  # numbers that are remembered, of four bytes
Alternatives = tuple[tuple[str, ...], ...]
_ROWS = "SELECT group_concat(rowid) FROM words WHERE words MATCH ? AND rowid >= ?"
_ANY = "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1"
_PLACES = "SELECT group_concat(spots.id) FROM places JOIN spots ON spots.id = places.rowid WHERE places MATCH ?"


class Lists:
    """Reads the lists of an index, as long as it is the same database."""

    def __init__(self, connection: sqlite3.Connection, norms: bytearray, live: int, total: int) -> None:
        """Bind to an index.

        Args:
            connection: its database.
            norms: the length of each row in steps, 0 for one that is gone; grows with the index.
            live: rows that are there.
            total: terms in them.
        """
        self._run = connection.execute
        self.norms = norms
        self._rows: dict[str, tuple[array[int], int, int]] = {}  # with the norms' length and the state at the reading
        self._places: dict[str, array[int]] = {}
        self._unions: dict[Alternatives, array[int]] = {}
        self._size = self._state = 0
        self.changed(live, total)

    def changed(self, live: int, total: int) -> None:
        """Take note that rows came and went, as the arguments of `Lists` say; what came has the highest numbers."""
        self.live, self.average = live, total / live if total else 1.0  # rows of signs alone hold no term
        self.shortest = min(filter(None, set(self.norms)), default=1)
        self.spots = int(self._run("SELECT count(*) FROM spots").fetchone()[0])
        self.kinds = frozenset(kind for (kind,) in self._run("SELECT DISTINCT kind FROM files"))
        self._places.clear()
        self._unions.clear()
        self._state += 1

    def rows(self, term: str) -> array[int]:
        """Give the rows that hold a term."""
        return self._held(quoted(term))

    def knows(self, term: str) -> bool:
        """Return True if any row holds a term; nothing is remembered of the many that none holds."""
        return self._run(_ANY, (quoted(term),)).fetchone() is not None and bool(self.rows(term))

    def beginning(self, phrase: Phrase) -> array[int]:
        """Give the rows that hold a word which begins so."""
        found = set(self._held(quoted(phrase.terms[0]) + "*"))
        return array("I", sorted(found.union(*map(self.rows, phrase.terms[1:]))))

    def any(self, alternatives: Alternatives) -> array[int]:
        """Return the rows that hold all terms of at least one alternative."""
        found = self._unions.get(alternatives)
        if found is None:
            parts = (set(self.rows(first)).intersection(*map(self.rows, more)) for first, *more in alternatives)
            found = self._unions[alternatives] = array("I", sorted(set[int]().union(*parts)))
        return found

    def holding(self, phrase: Phrase) -> set[int]:
        """Give the rows that hold all terms of a phrase."""
        first, *more = map(self.rows, phrase.terms)
        return set(first).intersection(*more)

    def places(self, term: str) -> array[int]:
        """Give the places whose heading, date or file name holds a term."""
        if term not in self._places:
            self._places[term] = self._read(_PLACES, quoted(term))
        return self._places[term]

    def _held(self, asked: str) -> array[int]:
        rows, end, state = self._rows.get(asked, (array("I"), 0, 0))
        if state != self._state:
            norms, last = self.norms, len(self.norms)
            rows, before = rows + self._read(_ROWS, asked, end), len(rows)
            if self.live + 1 < last:
                rows = array("I", [row for row in rows if row < last and norms[row]])
            self._keep(asked, rows, len(rows) - before)
        return rows

    def _read(self, sql: str, *asked: object) -> array[int]:
        # one row of text: the interpreter's lock would be let go and taken again for each of a thousand rows
        said = self._run(sql, asked).fetchone()[0]
        return array("I", loads(f"[{said}]") if said else ())

    def _keep(self, asked: str, rows: array[int], more: int) -> None:
        if self._size > _KEPT:
            self._rows.clear()
            self._size, more = 0, len(rows)
        self._rows[asked] = rows, len(self.norms), self._state
        self._size += more


def quoted(term: str) -> str:
    """Write a term as FTS5 takes any text."""
    return '"' + term.replace('"', '""') + '"'
