"""Find the statements that somebody takes back or denies, by the words in which they do. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, NamedTuple, Protocol, TypeVar

from mdmem.formats.fact_words import FactWords
from mdmem.search.words.terms import is_stop, terms
from mdmem.text.pattern import pattern

_NAME = pattern(r"\b[A-ZÀ-Þ][\w+#.-]*|\d[\w.]*")
_ORDINAL = pattern(r"(?<=\d)(?:st|nd|rd|th)\b|(?<=\d)\s?号")
_DAY = pattern(r"\b\d{4}-\d\d-0?(\d\d?)\b")  # by its number alone a day is named too: «not the 16th»
_DATED = pattern(r"month-\d\d|\d{4}(?:-\d\d){0,2}|\d\d-\d\d")  # terms of a date, which a claim need not name
_NO_NAMES = frozenset(("i", "we", "my", "our", "the"))
_DENSE = "\u2e80"  # from here on, scripts are written without spaces: a word is known by its characters
_WORD, _NAMED, _CHARACTER = 2, 4, 1  # what the term of a word, of a name or number, and one character weigh


class Stated(Protocol):
    """What a claim is compared with."""

    @property
    def type(self) -> str:
        """Return fact, preference, rule and the like."""

    @property
    def subject(self) -> str:
        """Of whom or what."""

    @property
    def predicate(self) -> str:
        """Which property."""

    @property
    def text(self) -> str:
        """The whole statement."""


S = TypeVar("S", bound=Stated)


class ClaimedStatements(NamedTuple, Generic[S]):
    """The statements that a claim may be about, and how much of the claim's words the best of them hold."""

    found: tuple[S, ...]
    cover: float  # 0 to 1


def claimed(claim: str, statements: Iterable[S], words: FactWords, share: float) -> ClaimedStatements[S]:
    """Return the statements that hold most of the words of a claim; several only if they hold as many.

    Args:
        claim: what is taken back, without the words that do so: «I work at Siemens», 「花生」.
        statements: those that hold.
        words: the words of facts.
        share: the least share of a statement's own words that the claim must name.
    """
    names = {term for name in names_in(claim) for term in terms(name) if term not in _NO_NAMES}
    asked = _weights(words.bare(_ORDINAL.sub("", claim), ""), names) | dict.fromkeys(veiled_names(claim), _NAMED)
    total = sum(asked.values())
    best: list[S] = []
    most = (0.0, 0.0)
    for one in statements if total else ():
        days = " ".join(found[1] for found in _DAY.finditer(one.text))
        veiled = veiled_names(one.text)
        own = _weights(f"{words.bare(one.text, '')} {days}", names) | dict.fromkeys(veiled, _NAMED)
        said = {*terms(" ".join((one.text, days, one.subject, *words.spellings(one.predicate)))), *veiled}
        cover = sum(weight for term, weight in asked.items() if term in said) / total
        own = {term: weight for term, weight in own.items() if term in asked or not _DATED.fullmatch(term)}
        named = sum(weight for term, weight in own.items() if term in asked) / (sum(own.values()) or 1)
        is_part = len(claim.strip()) > 1 and claim.strip() in one.text
        if named < share or not (is_part or _shares_word(asked, said)):
            continue
        if (cover, named) > most:
            best = [one, *(other for other in best if cover == most[0] and named < 2 * most[1])]
            most = cover, named
        elif cover == most[0] and 2 * named > most[1]:
            best.append(one)
    return ClaimedStatements(tuple(best), most[0])


def is_same_matter(old: str, new: str, value: str, words: FactWords) -> bool:
    """Return whether a new rule names at least half of what an older one says besides the value that changed."""
    left = set(_weights(words.bare(old, ""), ())) - set(terms(value))
    return 2 * len(left & set(terms(new))) >= len(left) > 0


def names_in(text: str) -> list[str]:
    """Return the words of a text that begin with a capital or a digit."""
    return _NAME.findall(text)


def veiled_names(text: str) -> frozenset[str]:
    """Return the names in a text, as spelled, that stem to a word without content: «Ines» to «in»."""
    found = (name.casefold() for name in names_in(text))
    return frozenset(name for name in found if not is_stop(name) and all(map(is_stop, terms(name))))


def _weights(text: str, names: Iterable[str]) -> dict[str, int]:
    """Return the terms of a text with content, each with its weight."""
    found: dict[str, int] = {}
    for term in terms(text):
        if term >= _DENSE and len(term) == 1:
            found[term] = _CHARACTER
        elif term < _DENSE and not is_stop(term):
            found[term] = _NAMED if term in names else _WORD
    return found


def _shares_word(asked: dict[str, int], said: Iterable[str]) -> bool:
    """Return whether two texts share more than one character."""
    common = [asked[term] for term in said if term in asked]
    return sum(common) > _CHARACTER
