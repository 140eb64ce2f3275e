"""Words that answer for a word of a question: `drink` is answered by coffee or tea, `went` by go.

The rows of such a table are `asked words : words that answer`; without a colon every word answers for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.search.words.terms import terms
from mdmem.text.inline import is_dense

_BEGIN = 2  # letters that stand in a word and in its stem; so few words of a table are stemmed


class Related(NamedTuple):
    """An extra term of a question: a row holds it if it holds all terms of one of the alternatives."""

    alternatives: tuple[tuple[str, ...], ...]
    of: str  # the term of the question that they answer for
    share: float  # of that term's weight
    rarest: float  # the most that this weight counts as


def related_terms(asked: Sequence[str], rows: Sequence[str], share: float, rarest: float) -> tuple[Related, ...]:
    """Return an extra term for each of these terms that stands in a table, without the terms that are asked for."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    table, known = _table(tuple(rows)), frozenset(asked)
    for begin in dict.fromkeys(term[:_BEGIN] for term in asked):
        for word, answers in table.get(begin, ()):
            if (term := _term(word)) and known.issuperset(term):
                found.setdefault(term[0], {}).update(dict.fromkeys(map(_term, answers.split())))
    kept = {term: tuple(one for one in words if one and not known.issuperset(one)) for term, words in found.items()}
    return tuple(Related(words, term, share, rarest) for term, words in kept.items() if words)


@lru_cache(maxsize=4)
def _table(rows: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """Return the words that ask and the words that answer them, by the beginning that a word shares with its stem."""
    table: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        asks, colon, answers = row.partition(":")
        for word in asks.split():
            table.setdefault(word[:_BEGIN].lower(), []).append((word, answers if colon else asks))
    return table


@lru_cache(maxsize=10_000)
def _term(word: str) -> tuple[str, ...]:
    """Return the terms of a word; of several dense characters the pairs."""
    found = terms(word)
    pairs = [one for one in found if len(one) > 1] if is_dense(word[:1]) else found
    return tuple(dict.fromkeys(pairs or found))
