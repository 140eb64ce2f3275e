"""What a question asks for besides its words: when, of whom, of what kind, what holds now or what held before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType

from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.core.words import is_stop, terms
from mdmem.recall.ago import read_days
from mdmem.recall.days import Days

_WHEN = pattern(
    r"(?i)^\W*(?:and |so |but )?(?:when|since when|how long|what (?:day|date|month|year|time))\b"
    r"|什么时候|何时|哪天|哪一天|哪年|哪一年|哪个月|几号|几月|多久|什么日子"
)
_PAST = pattern(
    r"(?i)\b(?:used to|originally|initially|formerly|previous(?:ly)?|at first|(?:the|my|his|her|their) (?:first|old)"
    r"|before|back then|no longer)\b|以前|之前|原来|原先|最初|最早|当初|曾经|过去|旧的|上一个|上一任"
)
_NOW = pattern(
    r"(?i)\b(?:now|nowadays|current(?:ly)?|latest|newest|most recent(?:ly)?|at present|today|still"
    r"|these days|anymore)\b|现在|目前|当前|如今|眼下|最新|最近一次|还在|仍然|现任"
)
_TAG = pattern(r"(?<!\S)#([^\s#]+)")
_MINE = pattern(r"(?i)\b(?:I|I'm|I've|my|me|mine|myself)\b|我")
_DENSE = "\u2e80"  # from here on, names stand among other characters without spaces


class Question(NamedTuple):
    """A question understood."""

    text: str
    words: tuple[str, ...]
    days: tuple[Days, ...] = ()
    when: bool = False  # it asks for a time
    past: bool = False  # it asks for what held before
    now: bool = False  # it asks for what holds now, and says so
    mine: bool = False  # it asks of the asker
    kinds: tuple[str, ...] = ()  # that it speaks of: an image, a file, a tool's output
    tags: frozenset[str] = frozenset()
    weights: Mapping[str, float] = MappingProxyType({})  # how rare each word is among all lines

    def names(self, whos: Iterable[str]) -> frozenset[str]:
        """Give those speakers, subjects and predicates that the question names."""
        said = self.text.casefold()
        spoken = frozenset(terms(self.text))
        return frozenset(who for who in set(whos) if who and _is_named(who, said, spoken))


def _is_named(who: str, said: str, spoken: frozenset[str]) -> bool:
    if who >= _DENSE:
        return who.casefold() in said
    return not spoken.isdisjoint(term for term in terms(who) if len(term) > 1 and not is_stop(term))


def content(text: str) -> str:
    """Give a question without the words that say when it should hold: no line is looked up by «now» or «before»."""
    rest = _NOW.sub(" ", _PAST.sub(" ", text))
    return rest if any(not is_stop(term) for term in terms(rest)) else text


def understand(
    text: str, words: Sequence[str], *, today: date, recently: int, triggers: Mapping[str, Sequence[str]]
) -> Question:
    """Read a question.

    `words` are its content terms; «recently» means so many days; `triggers` names for each kind of file the words that
    ask for it (K071).
    """
    said = text.casefold()
    return Question(
        text,
        tuple(words),
        days=read_days(text, today, recently),
        when=_WHEN.search(text) is not None,
        past=_PAST.search(text) is not None,
        now=_NOW.search(text) is not None,
        mine=_MINE.search(text) is not None,
        kinds=tuple(kind for kind, asked in triggers.items() if any(_stands(word, said) for word in asked)),
        tags=frozenset(_TAG.findall(text)),
    )


def _stands(word: str, said: str) -> bool:
    if not word.isascii():
        return word in said
    at = said.find(word)
    while at >= 0:
        ends = said[at + len(word) : at + len(word) + 2]
        if not said[at - 1 : at].isalnum() and not ends.removeprefix("s")[:1].isalnum():
            return True
        at = said.find(word, at + 1)
    return False
