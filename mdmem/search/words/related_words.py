"""Related words of a question: `drink` is answered by coffee or tea, `went` by go.

A row of such a table is `asked words : words that answer`; without a colon every word answers for the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.search.words.terms import terms
from mdmem.text.inline import is_dense

_BEGIN = 2  # letters that a word shares with its stem; so only few words of a table are stemmed


class Related(NamedTuple):
    """An extra term of a question: a row matches if it contains all terms of one alternative."""

    alternatives: tuple[tuple[str, ...], ...]
    of: str  # the question's term that they replace
    share: float  # of that term's weight
    rarest: float  # the maximum of that weight

    def is_in(self, terms: frozenset[str]) -> bool:
        """Return True if a line of these terms holds an alternative."""
        return any(map(terms.issuperset, self.alternatives))


def related_terms(asked: Sequence[str], rows: Sequence[str], share: float, rarest: float) -> tuple[Related, ...]:
    """Return an extra term for each of these terms that is in a table, without the asked terms themselves."""
    found: dict[str, dict[tuple[str, ...], None]] = {}
    table, asked_terms = _table(tuple(rows)), frozenset(asked)
    for begin in dict.fromkeys(term[:_BEGIN] for term in asked):
        for word, answers in table.get(begin, ()):
            if (term := _term(word)) and asked_terms.issuperset(term):
                found.setdefault(term[0], {}).update(dict.fromkeys(map(_term, answers.split())))
    answers_by_term = {
        term: tuple(one for one in words if one and not asked_terms.issuperset(one)) for term, words in found.items()
    }
    return tuple(Related(words, term, share, rarest) for term, words in answers_by_term.items() if words)


@lru_cache(maxsize=4)
def _table(rows: tuple[str, ...]) -> dict[str, list[tuple[str, str]]]:
    """Return the asking words with their answers, by the letters that a word shares with its stem."""
    table: dict[str, list[tuple[str, str]]] = {}
    for row in rows:
        asks, colon, answers = row.partition(":")
        for word in asks.split():
            table.setdefault(word[:_BEGIN].lower(), []).append((word, answers if colon else asks))
    return table


@lru_cache(maxsize=10_000)
def _term(word: str) -> tuple[str, ...]:
    """Return the terms of a word; for several dense characters only the pairs."""
    found = terms(word)
    pairs = [one for one in found if len(one) > 1] if is_dense(word[:1]) else found
    return tuple(dict.fromkeys(pairs or found))
