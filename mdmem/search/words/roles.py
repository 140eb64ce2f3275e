"""What a question asks for besides its topic: a person, a place, a time, an amount or a reason; and lines with one.

A row of the table `roles` is `name | words that ask for it | words of a line that answers`. Marks stand for what no
list can hold: `Name` for a capitalised name, `跟Name` for a name behind a word of a script without spaces, `0` for a
number, `0月` for one before a unit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from mdmem.search.words.terms import fold, is_stop, terms
from mdmem.search.words.word_list import WordList, word_list
from mdmem.settings.phrases import PhrasePattern, any_of
from mdmem.text.inline import is_dense
from mdmem.text.pattern import pattern

_NAME, _NUMBER = "Name", "0"
_PAIR = 2  # characters by which a name of a dense script is judged
_CAPITALISED = pattern(r"\b[A-Z][a-z][\w'’-]*")
_DIGIT = pattern(r"\d")


class Role(NamedTuple):
    """What a question may ask for."""

    name: str
    asks: PhrasePattern
    answers: PhrasePattern
    leads: PhrasePattern  # a name may stand behind them
    units: PhrasePattern  # behind a number
    by_name: bool
    by_number: bool
    common: WordList  # capitalised words that are no names

    def is_answered_by(self, text: str, asked: Collection[str]) -> bool:
        """Return True if a line holds an answer, and not the name in the question; `asked` are the question's terms."""
        text = fold(text)
        if self.by_number and _DIGIT.search(text):
            return True
        if self.by_name and any(_is_name(one.group(), asked, self.common) for one in _CAPITALISED.finditer(text)):
            return True
        if self.answers.search(text) or self.units.search(text):
            return True
        return any(self._is_dense_name(text[one.end() :][:_PAIR], asked) for one in self.leads.finditer(text))

    def _is_dense_name(self, pair: str, asked: Collection[str]) -> bool:
        """Return True for two characters behind a word such as 跟 that may be a name."""
        is_word = len(pair) == _PAIR and all(is_dense(one) and not is_stop(one) for one in pair)
        return is_word and pair not in asked and self.common.without(pair) == pair


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
    leads = [word.removesuffix(_NAME) for word in words if word.endswith(_NAME) and word != _NAME]
    units = [word.removeprefix(_NUMBER) for word in words if word.startswith(_NUMBER)]
    spoken = [word for word in words if not (word.startswith(_NUMBER) or word.endswith(_NAME))]
    by_unit = PhrasePattern(units, r"\d ?(?:{0})".format)
    return Role(
        name, any_of(asks.split(", ")), any_of(spoken), any_of(leads), by_unit, _NAME in words, _NUMBER in words, common
    )


def _is_name(word: str, asked: Collection[str], common: WordList) -> bool:
    """Return True for a capitalised word that is not in common use, for a sentence may begin with it."""
    return not any(is_stop(term) or common.holds(term) or term in asked for term in terms(word))
