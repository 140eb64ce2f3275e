"""What a question asks for besides its topic: a person, a place, a time or an amount; and lines that hold one.

A row of the table `roles` is `name | words that ask for it | words of a line that answers`. Two marks stand for what no
list can hold: `Name` for a name, `0` for a number.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.search.words.terms import fold, is_stop, terms
from mdmem.search.words.word_list import WordList, word_list
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.text.pattern import pattern

_NAME, _NUMBER = "Name", "0"
_CAPITALISED = pattern(r"\b[A-Z][a-z][\w'’-]*")
_DIGIT = pattern(r"\d")


class Role(NamedTuple):
    """What a question may ask for."""

    name: str
    asks: PhrasePattern
    answers: PhrasePattern
    by_name: bool
    by_number: bool
    common: WordList  # capitalised words that are no names

    def is_answered_by(self, text: str, asked: Collection[str]) -> bool:
        """Return True if a line holds an answer without a term that the question holds; `asked` are its terms."""
        text = fold(text)
        if self.by_number and _DIGIT.search(text):
            return True
        if self.by_name and any(_is_name(one.group(), asked, self.common) for one in _CAPITALISED.finditer(text)):
            return True
        return any(_is_new(one.group(), asked) for one in self.answers.finditer(text))


def asked_roles(question: str, rows: tuple[str, ...], common: tuple[str, ...]) -> tuple[Role, ...]:
    """Return what a question asks for; `common` are words that are no names."""
    folded = fold(question)
    return tuple(role for role in _roles(rows, common) if role.asks.search(folded))


@lru_cache(maxsize=4)
def _roles(rows: tuple[str, ...], common: tuple[str, ...]) -> tuple[Role, ...]:
    return tuple(_role(row.split(" | "), word_list(common)) for row in rows)


def _role(parts: Sequence[str], common: WordList) -> Role:
    name, asks, answers = parts
    words = answers.split(", ")
    spoken = [word for word in words if word not in (_NAME, _NUMBER)]
    return Role(name, any_of(asks.split(", ")), any_of(spoken), _NAME in words, _NUMBER in words, common)


def _is_new(words: str, asked: Collection[str]) -> bool:
    return any(term not in asked for term in terms(words))


def _is_name(word: str, asked: Collection[str], common: WordList) -> bool:
    """Return True for a capitalised word that is not in common use, for a sentence may begin with it."""
    return not any(is_stop(term) or common.holds(term) or term in asked for term in terms(word))
