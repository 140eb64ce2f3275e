"""A list of words from a setting or a table, such as words of common use.

Only words that begin like an asked term are stemmed: a list has hundreds of words, and a question has ten.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from mdmem.search.words.stemming import stem
from mdmem.search.words.terms import beginning, by_beginning, terms
from mdmem.text.inline import is_dense


class WordList:
    """The words of some rows, separated by spaces."""

    def __init__(self, rows: Sequence[str]) -> None:
        words = " ".join(rows).split()
        self.dense = frozenset(word for word in words if is_dense(word[0]))  # words of scripts without spaces
        # the only term of such a word is its stem; others have several
        plain = {word for word in words if word.isascii() and word.isalpha() and word.islower()}
        self._plain = by_beginning(sorted(plain))
        self._names = {term for word in {*words} - plain - self.dense for term in terms(word)}
        self._longest = max(map(len, self.dense), default=0)

    def holds(self, term: str) -> bool:
        """Return whether a term is one of a word in a script with spaces."""
        return term in self._names or any(stem(word) == term for word in self._plain.get(beginning(term), ()))

    def spans(self, text: str, least: int = 1) -> Iterator[tuple[int, int]]:
        """Yield where words in scripts without spaces stand, the longest first, of at least so many characters."""
        at = 0
        while at < len(text):
            sizes = range(min(self._longest, len(text) - at), least - 1, -1)
            size = next((one for one in sizes if text[at : at + one] in self.dense), 0)
            if size:
                yield at, at + size
            at += size or 1

    def without(self, text: str) -> str:
        """Return a text with a space for each word in a script without spaces."""
        kept, last = list[str](), 0
        for start, end in self.spans(text):
            kept.append(text[last:start])
            last = end
        return " ".join((*kept, text[last:]))


@lru_cache(maxsize=8)
def word_list(rows: tuple[str, ...]) -> WordList:
    """Return the list of some rows; it is read once."""
    return WordList(rows)
