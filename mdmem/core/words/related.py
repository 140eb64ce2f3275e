"""Words that answer for a word of a question: `drink` is answered by coffee or tea, `went` by go.

The rows of such a table are `asked words : words that answer`; without a colon every word answers for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from mdmem.core.record import NamedTuple
from mdmem.core.words.terms import is_dense, terms


class Related(NamedTuple):
    """An extra term of a question: a row holds it if it holds all terms of one of the alternatives."""

    alternatives: tuple[tuple[str, ...], ...]
    of: str  # the term of the question that they answer for
    share: float  # of that term's weight
    rarest: float  # the most that this weight counts as


def related_terms(asked: Sequence[str], rows: Sequence[str], share: float, rarest: float) -> tuple[Related, ...]:
    """Return an extra term for each of these terms that stands in a table, without the terms that are asked for."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    begins = {term[:2] for term in asked}  # most words of a table need no stemming
    for row in rows:
        asks, answers = _sides(row)
        for word in asks:
            if word[:2] in begins and (term := _term(word)) and term[0] in asked and set(term) <= set(asked):
                found.setdefault(term[0], {}).update(dict.fromkeys(map(_term, answers)))
    kept = {term: tuple(one for one in words if one and not set(one) <= set(asked)) for term, words in found.items()}
    return tuple(Related(words, term, share, rarest) for term, words in kept.items() if words)


@lru_cache(maxsize=1000)
def _sides(row: str) -> tuple[list[str], list[str]]:
    """Return the words that ask and those that answer."""
    asks, colon, answers = row.partition(":")
    return asks.split(), (answers if colon else asks).split()


@lru_cache(maxsize=10_000)
def _term(word: str) -> tuple[str, ...]:
    """Return the terms of a word; of several dense characters the pairs."""
    found = terms(word)
    pairs = [one for one in found if len(one) > 1] if is_dense(word[:1]) else found
    return tuple(dict.fromkeys(pairs or found))
