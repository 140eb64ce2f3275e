"""Which rows answer a query, and how well: BM25 over which of its terms a row holds.

How often a row holds a term is not asked: memories are short. That lets FTS5 keep no places, a third of the size, and
a query look at nothing but lists of row numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache
from math import log
from operator import itemgetter

from mdmem.core.settings.recall import SearchSettings
from mdmem.core.words import Query
from mdmem.core.words.related import Related
from mdmem.index.database import LENGTHS
from mdmem.index.lists import Lists
from mdmem.index.scores import Scores, Sums


def words(lists: Lists, query: Query, settings: SearchSettings, related: Sequence[Related] = ()) -> Scores:
    """Score the rows that hold a word of the query, and all that must be; of a long query the rarest words count."""
    known = sorted(filter(itemgetter(1), listed(lists, query)), key=lambda one: len(one[1]))
    weighed = sorted([*known[: settings.terms], *extra(lists, related)], key=itemgetter(0), reverse=True)
    only = set.intersection(*map(lists.holding, query.must)) if query.must else None
    return Scores(weighed, only, lists.norms, shape(lists, settings))


def listed(lists: Lists, query: Query) -> list[tuple[float, array[int]]]:
    """Return weight and rows of each term of a query, in its order."""
    found = [lists.rows(term) for term in query.words]
    found += [lists.beginning(phrase) for phrase in query.prefixes]
    return [(weight(lists.live, len(rows)), rows) for rows in found]


def extra(lists: Lists, related: Sequence[Related]) -> list[tuple[float, array[int]]]:
    """Return weight and rows of each extra term."""
    return [
        (one.share * min(one.rarest, weight(lists.live, len(lists.rows(one.of)))), lists.any(one.alternatives))
        for one in related
    ]


def shape(lists: Lists, settings: SearchSettings) -> Sequence[float]:
    """Return the factor of each length's step."""
    return _shape(lists.average, lists.shortest, settings.k1, settings.b)


@lru_cache(maxsize=8)
def _shape(average: float, shortest: int, k1: float, b: float) -> Sequence[float]:
    """Give the factor of each length's step; those below the shortest row's never count."""
    long = ((k1 + 1) / (1 + k1 * (1 - b + b * length / average)) for length in LENGTHS[shortest:])
    return (*[0.0] * shortest, *long)


def places(lists: Lists, query: Query, settings: SearchSettings) -> Sums:
    """Give the score of every place whose heading, date or file name holds a word of the query."""
    scores: Sums = {}
    for found in sorted(filter(None, map(lists.places, query.words)), key=len)[: settings.terms]:
        given = weight(lists.spots, len(found))
        for spot in found:
            scores[spot] = scores.get(spot, 0.0) + given
    return scores


def weight(count: int, found: int) -> float:
    """Give what a term weighs that so many of all rows hold: the fewer, the more."""
    return log(1 + (count - found + 0.5) / (found + 0.5))
