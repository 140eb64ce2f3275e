"""Which rows answer a query, and how well: BM25 over which of its terms a row holds.

How often a row holds a term is not asked: memories are short. That lets FTS5 keep no places, a third of the size, and
a query look at nothing but lists of row numbers.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from heapq import nlargest
from json import loads
from math import log

from mdmem.core.words import Phrase, Query
from mdmem.index.database import LENGTHS

_MOST_TERMS = 64  # of a query; a pasted page is looked up by its rarest


class Matcher:
    """Scores the rows of an index as it is at one moment."""

    def __init__(self, connection: sqlite3.Connection, norms: bytes | bytearray, live: int, total: int) -> None:
        self._run = connection.execute
        self._norms, self._live = norms, live
        self._gone = live + 1 < len(norms)
        self._average = total / live if live else 1.0

    def words(self, query: Query, k1: float, b: float) -> dict[int, float]:
        """Give the score of every row that holds a word of the query, and all that must be."""
        lists = [self._rows(term) for term in query.words[: 8 * _MOST_TERMS]]
        lists += [self._beginning(phrase) for phrase in query.prefixes]
        lists.sort(key=len)
        *rare, common = lists[:_MOST_TERMS] or [[]]
        scores = dict.fromkeys(common, self._weight(len(common)))  # the longest list at once
        get = scores.get
        for rows in rare:
            weight = self._weight(len(rows))
            for row in rows:
                scores[row] = get(row, 0.0) + weight
        if query.must:
            needed = set.intersection(*(self._holding(phrase) for phrase in query.must))
            scores = {row: scores.get(row, 1.0) for row in needed}
        shape = [0.0, *((k1 + 1) / (1 + k1 * (1 - b + b * length / self._average)) for length in LENGTHS[1:])]
        norms = self._norms
        return {row: score * shape[norms[row]] for row, score in scores.items()}

    def places(self, query: Query) -> dict[int, float]:
        """Give the score of every place whose heading, date or file name holds a word of the query."""
        count = self._run("SELECT count(*) FROM spots").fetchone()[0]
        scores: dict[int, float] = {}
        for term in query.words[:_MOST_TERMS]:
            sql = "SELECT spots.id FROM places JOIN spots ON spots.id = places.rowid WHERE places MATCH ?"
            found = self._run(sql, (quoted(term),)).fetchall()
            weight = log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
            for (spot,) in found:
                scores[spot] = scores.get(spot, 0.0) + weight
        return scores

    def rarity(self, term: str) -> float:
        """Give what a term weighs: the fewer rows hold it, the more."""
        return self._weight(len(self._rows(term)))

    def _rows(self, term: str, *, prefix: bool = False) -> list[int]:
        """Give the rows that hold a term and are still there."""
        # one row of text: the interpreter's lock would be let go and taken again for each of a thousand rows
        sql = "SELECT group_concat(rowid) FROM words WHERE words MATCH ?"
        said = self._run(sql, (quoted(term) + "*" * prefix,)).fetchone()[0]
        found: list[int] = loads(f"[{said}]") if said else []
        if self._gone:
            norms, known = self._norms, len(self._norms)
            found = [row for row in found if row < known and norms[row]]
        return found

    def _beginning(self, phrase: Phrase) -> list[int]:
        found = set(self._rows(phrase.terms[0], prefix=True))
        return list(found.union(*map(self._rows, phrase.terms[1:])))

    def _holding(self, phrase: Phrase) -> set[int]:
        found: Iterable[int] = self._rows(phrase.terms[0])
        both = set(found)
        for term in phrase.terms[1:]:
            both.intersection_update(self._rows(term))
        return both

    def _weight(self, rows: int) -> float:
        return log(1 + (self._live - rows + 0.5) / (rows + 0.5))


def quoted(term: str) -> str:
    """Write a term as FTS5 takes any text."""
    return '"' + term.replace('"', '""') + '"'


def best(scores: dict[int, float], limit: int) -> Sequence[tuple[int, float]]:
    """Give the best rows, and all that are as good as the last of them, so that no row number decides."""
    if len(scores) <= limit:
        return sorted(scores.items(), key=_score)
    least = nlargest(limit, scores.values())[-1]
    return sorted(((row, score) for row, score in scores.items() if score >= least), key=_score)


def _score(pair: tuple[int, float]) -> float:
    return -pair[1]
