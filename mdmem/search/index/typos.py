"""Correct words that no row holds to words of the index one typo away.

A word's neighbours are enumerated and looked up, so the cost does not grow with the vocabulary.
"""

from __future__ import annotations

from collections.abc import Iterator
from string import ascii_lowercase

from mdmem.search.index.bm25 import PostingLists
from mdmem.search.question import Query
from mdmem.search.words.terms import fold, fold_case_and_accents, pieces, terms
from mdmem.settings.tables import SearchSettings

_LONGEST = 30  # letters; longer ones are no words, and have more neighbours than can be looked up


def respelled(lists: PostingLists, query: Query, settings: SearchSettings) -> Query:
    """Return the query with unknown words in Latin letters replaced by the known ones at edit distance 1."""
    meant: dict[str, list[str]] = {}
    for match in pieces(fold(query.text)):
        word = fold_case_and_accents(match.group())
        if (
            len(meant) < settings.typos
            and settings.typo_letters <= len(word) <= _LONGEST
            and word.isascii()
            and word.isalpha()
        ):
            [term] = terms(word)[:1] or [""]
            if term in query.words and term not in meant and not lists.rows(term):
                meant[term] = _known(lists, word)
    if not any(meant.values()):
        return query
    words = dict.fromkeys(one for word in query.words for one in meant.get(word) or [word])
    return query._replace(words=tuple(words))


def _known(lists: PostingLists, word: str) -> list[str]:
    near = dict.fromkeys(term for one in _neighbours(word) for term in terms(one))
    return [term for term in near if lists.knows(term)]


def _neighbours(word: str) -> Iterator[str]:
    """Return every text that one letter left out, added, replaced or swapped with the next makes of a word."""
    for at in range(len(word) + 1):
        head, tail = word[:at], word[at:]
        yield from (f"{head}{letter}{tail}" for letter in ascii_lowercase)
        if tail:
            yield f"{head}{tail[1:]}"
            yield from (f"{head}{letter}{tail[1:]}" for letter in ascii_lowercase)
        if len(tail) > 1:
            yield f"{head}{tail[1]}{tail[0]}{tail[2:]}"
