"""Posting lists and BM25: reads the rows of each term, caches them, and sums the scores."""

from __future__ import annotations

import sqlite3
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from heapq import nlargest
from json import loads
from math import log
from operator import itemgetter

from mdmem.search.index.database import LENGTHS
from mdmem.search.question import Phrase, Query
from mdmem.search.words.related_words import Related
from mdmem.settings.search_tables import SearchSettings

_KEPT = 4_000_000  # cached numbers, of four bytes each
Alternatives = tuple[tuple[str, ...], ...]
_ROWS = "SELECT group_concat(rowid) FROM words WHERE words MATCH ? AND rowid >= ?"
_ANY = "SELECT 1 FROM words WHERE words MATCH ? LIMIT 1"
_PLACES = "SELECT group_concat(spots.id) FROM places JOIN spots ON spots.id = places.rowid WHERE places MATCH ?"


class PostingLists:
    """Reads the posting lists of one database and caches them."""

    def __init__(self, connection: sqlite3.Connection, norms: bytearray, live: int, total: int) -> None:
        """Bind to an index.

        Args:
            connection: its database.
            norms: the quantized length of each row, 0 for a removed one; grows with the index.
            live: the number of rows.
            total: the number of terms in them.
        """
        self._run = connection.execute
        self.norms = norms
        self._rows: dict[str, tuple[array[int], int, int]] = {}  # with len(norms) and the state when read
        self._places: dict[str, array[int]] = {}
        self._unions: dict[Alternatives, array[int]] = {}
        self._size = self._state = 0
        self.changed(live, total)

    def changed(self, live: int, total: int) -> None:
        """Update the counts after rows were added or removed; new rows have the highest numbers."""
        self.live, self.average = live, total / live if total else 1.0  # rows of punctuation alone have no terms
        self.shortest = min(filter(None, set(self.norms)), default=1)
        self.spots = int(self._run("SELECT count(*) FROM spots").fetchone()[0])
        self.kinds = frozenset(kind for (kind,) in self._run("SELECT DISTINCT kind FROM files"))
        self._places.clear()
        self._unions.clear()
        self._state += 1

    def rows(self, term: str) -> array[int]:
        """Return the rows that contain a term."""
        return self._rows_of(quoted_term(term))

    def knows(self, term: str) -> bool:
        """Return True if any row contains a term; misses are not cached."""
        return self._run(_ANY, (quoted_term(term),)).fetchone() is not None and bool(self.rows(term))

    def beginning(self, phrase: Phrase) -> array[int]:
        """Return the rows that contain a word with this prefix."""
        found = set(self._rows_of(quoted_term(phrase.terms[0]) + "*"))
        return array("I", sorted(found.union(*map(self.rows, phrase.terms[1:]))))

    def any(self, alternatives: Alternatives) -> array[int]:
        """Return the rows that contain all terms of at least one alternative."""
        found = self._unions.get(alternatives)
        if found is None:
            parts = (set(self.rows(first)).intersection(*map(self.rows, more)) for first, *more in alternatives)
            found = self._unions[alternatives] = array("I", sorted(set[int]().union(*parts)))
        return found

    def holding(self, phrase: Phrase) -> set[int]:
        """Return the rows that contain all terms of a phrase."""
        first, *more = map(self.rows, phrase.terms)
        return set(first).intersection(*more)

    def places(self, term: str) -> array[int]:
        """Return the headings (with date and file name) that contain a term."""
        if term not in self._places:
            self._places[term] = self._read(_PLACES, quoted_term(term))
        return self._places[term]

    def _rows_of(self, asked: str) -> array[int]:
        rows, end, state = self._rows.get(asked, (array("I"), 0, 0))
        if state != self._state:
            norms, last = self.norms, len(self.norms)
            rows, before = rows + self._read(_ROWS, asked, end), len(rows)
            if self.live + 1 < last:
                rows = array("I", [row for row in rows if row < last and norms[row]])
            self._keep(asked, rows, len(rows) - before)
        return rows

    def _read(self, sql: str, *asked: object) -> array[int]:
        # One row of text: fetching a thousand rows would release and acquire the interpreter's lock for each.
        joined = self._run(sql, asked).fetchone()[0]
        return array("I", loads(f"[{joined}]") if joined else ())

    def _keep(self, asked: str, rows: array[int], more: int) -> None:
        if self._size > _KEPT:
            self._rows.clear()
            self._size, more = 0, len(rows)
        self._rows[asked] = rows, len(self.norms), self._state
        self._size += more


def quoted_term(term: str) -> str:
    """Return a term quoted for FTS5."""
    return '"' + term.replace('"', '""') + '"'


_LONG = 8  # a list longer than this many times the lookups is searched by bisection
Sums = dict[int, float]


def summed(
    lists: Iterable[tuple[float, array[int]]], only: AbstractSet[int] | None, norms: bytes | bytearray,
    length_factors: Sequence[float],
) -> Sums:  # fmt: skip
    """Return the score of every row in the lists.

    Args:
        lists: the weight of each list, and its rows, ascending.
        only: the rows that count, with 1 if they are in no list; None for all.
        norms: the quantized length of each row.
        length_factors: the factor of each quantized length.
    """
    sums: Sums = {}
    for weight, rows in lists:
        sums = _added(sums, weight, rows)
    if only is not None:
        sums = {row: sums.get(row, 1.0) for row in only}
    return {row: score * length_factors[norms[row]] for row, score in sums.items()}


def best_rows(scores: Sums, limit: int) -> list[tuple[int, float]]:
    """Return the best rows and all that tie with the last of them, unordered, so that no row number decides."""
    if len(scores) <= limit:
        return list(scores.items())
    least = nlargest(limit, scores.values())[-1]
    return [(row, score) for row, score in scores.items() if score >= least]


def common(rows: array[int], given: Mapping[int, object]) -> Iterable[int]:
    """Return the given rows that are in a list."""
    if len(rows) <= _LONG * len(given):
        return given.keys() & set(rows)
    end, found = len(rows), []
    for row in given:
        at = bisect_left(rows, row)
        if at < end and rows[at] == row:
            found.append(row)
    return found


def _added(sums: Sums, weight: float, rows: array[int]) -> Sums:
    """Return the sums with a list added; the shorter of the two is looped over."""
    if len(rows) < len(sums):
        get = sums.get
        for row in rows:
            sums[row] = get(row, 0.0) + weight
        return sums
    added = dict.fromkeys(rows, weight)
    get = added.get
    for row, score in sums.items():
        added[row] = score + get(row, 0.0)
    return added


def word_scores(lists: PostingLists, query: Query, settings: SearchSettings, related: Sequence[Related] = ()) -> Sums:
    """Return the BM25 scores of rows with a word of the query and all required phrases; only the rarest words count."""
    by_rarity = sorted(filter(itemgetter(1), query_lists(lists, query)), key=lambda one: len(one[1]))
    only = set.intersection(*map(lists.holding, query.must)) if query.must else None
    return summed(
        [*by_rarity[: settings.terms], *related_lists(lists, related)],
        only,
        lists.norms,
        length_factors(lists, settings),
    )


def query_lists(lists: PostingLists, query: Query) -> list[tuple[float, array[int]]]:
    """Return weight and rows of each term of a query, in its order."""
    found = [lists.rows(term) for term in query.words]
    found += [lists.beginning(phrase) for phrase in query.prefixes]
    return [(term_weight(lists.live, len(rows)), rows) for rows in found]


def related_lists(lists: PostingLists, related: Sequence[Related]) -> list[tuple[float, array[int]]]:
    """Return weight and rows of each related term."""
    return [
        (one.share * min(one.rarest, term_weight(lists.live, len(lists.rows(one.of)))), lists.any(one.alternatives))
        for one in related
    ]


def length_factors(lists: PostingLists, settings: SearchSettings) -> Sequence[float]:
    """Return the BM25 factor of each quantized length."""
    return _length_factors(lists.average, lists.shortest, settings.k1, settings.b)


@lru_cache(maxsize=8)
def _length_factors(average: float, shortest: int, k1: float, b: float) -> Sequence[float]:
    """Return the BM25 factor of each quantized length; shorter lengths than the shortest row's are not used."""
    long = ((k1 + 1) / (1 + k1 * (1 - b + b * length / average)) for length in LENGTHS[shortest:])
    return (*[0.0] * shortest, *long)


def heading_scores(lists: PostingLists, query: Query, settings: SearchSettings) -> Sums:
    """Return the score of every heading (with date and file name) that contains a word of the query."""
    scores: Sums = {}
    for found in sorted(filter(None, map(lists.places, query.words)), key=len)[: settings.terms]:
        weight = term_weight(lists.spots, len(found))
        for spot in found:
            scores[spot] = scores.get(spot, 0.0) + weight
    return scores


def term_weight(count: int, found: int) -> float:
    """Return the weight of a term that `found` of `count` rows contain: the inverse document frequency."""
    return log(1 + (count - found + 0.5) / (found + 0.5))
