"""Find statements that are older values of one thing: «vegetarian since 2024» before «vegetarian no longer».

The older statement leaves the live file, so only certain cases count. It must be a single clause, so that nothing else
is lost with it. The newer statement must either negate it in the same words, or report a change (`now`, `moved`) and
differ in nothing, in what one of the two adds, or in its last word, which is the value.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import date
from functools import cached_property
from itertools import chain

from mdmem.search.words.stemming import stem
from mdmem.search.words.terms import is_stop
from mdmem.settings.keeper_tables import KeeperSettings
from mdmem.settings.phrases import any_of
from mdmem.text.pattern import pattern
from mdmem.text.similarity import tokens
from mdmem.wording.proper_names import names

_DIGITS = pattern(r"\d+(?:[-/.:年月日号]\d+)*[年月日号]?")
_PARTICLES = frozenset("了的着过吗呢吧")  # a pair of characters with one of these carries no content
_LATIN = pattern(r"[^\W\d_]+")
_NUMBERED = pattern(r"\b([^\W\d_]+\.?) (?:\d+|[A-Z])\b")  # bus 12, plan B: a name, not a value
_CLAUSE = pattern(r"[,，、;；。！？!?]|\.\s|\b(?:and|but|or)\b|并且|而且|和")
_MOST_COMPARED = 40  # the most statements with a common word that one is compared with; keeps the search linear


class _Words:
    """The word lists that show a change."""

    def __init__(self, settings: KeeperSettings) -> None:
        self.settings = settings
        self.negations, self.changes = any_of(settings.negations), any_of(settings.changes)
        self.figures, self.persons = any_of(settings.no_negations), any_of(settings.persons)


class _Statement:
    """One statement; properties that only a comparison needs are computed on first use."""

    def __init__(self, text: str, day: date | None, order: int, words: _Words) -> None:
        self.text, self.day, self.order, self._lists = text, day, order, words
        plain = words.figures.sub(" ", _DIGITS.sub(" ", text.replace("’", "'")))
        self.negations = sum(1 for _ in words.negations.finditer(plain))
        self.changed = words.changes.search(plain) is not None
        self._plain = plain

    @cached_property
    def _content(self) -> str:
        """The text without the words of negation and change."""
        return self._lists.negations.sub(" ", self._lists.changes.sub(" ", self._plain))

    @cached_property
    def words(self) -> frozenset[str]:
        """The roots of its content words."""
        content_words = (word for word in tokens(self._content) if len(word) > 1 and not is_stop(word))
        return frozenset(_root(word) for word in content_words if _PARTICLES.isdisjoint(word))

    @cached_property
    def latin_words(self) -> list[str]:
        """Its Latin words in order."""
        return [root for word in _LATIN.findall(self._content.lower()) if (root := _root(word)) in self.words]

    @cached_property
    def numbered(self) -> frozenset[str]:
        """Its names that contain a number, such as «bus 12»."""
        found = (match for match in _NUMBERED.finditer(self.text) if not is_stop(match[1].casefold()))
        return frozenset(match.group().casefold() for match in found)

    @cached_property
    def has_figures(self) -> bool:
        """Whether it contains a number."""
        return _DIGITS.search(self.text) is not None

    @cached_property
    def clauses(self) -> int:
        """The number of its clauses."""
        return len(_CLAUSE.findall(self.text.rstrip(".。;； "))) + 1

    @cached_property
    def persons(self) -> frozenset[str]:
        """The persons in it, by words such as pronouns."""
        return frozenset(match.group().casefold() for match in self._lists.persons.finditer(self._content))

    @cached_property
    def subject(self) -> str:
        """The name that it begins with; empty if it begins with none."""
        first = next(names(self.text), None)
        return first.of(self.text).casefold() if first and not self.text[: first.start].strip() else ""

    def is_about(self, other: _Statement) -> bool:
        """Return whether the two can be about the same person."""
        if self.subject and other.subject and self.subject != other.subject:
            return False
        return not (self.persons - other.persons and other.persons - self.persons)

    def is_before(self, other: _Statement) -> bool:
        if self.day and other.day and self.day != other.day:
            return self.day < other.day
        return self.order < other.order


def superseded(statements: Sequence[tuple[str, date | None, int]], settings: KeeperSettings) -> frozenset[int]:
    """Return the indices of older values.

    Args:
        statements: text, day, and position in the file of each.
        settings: the words of negation and change.
    """
    lists = _Words(settings)
    found = [_Statement(*one, lists) for one in statements]
    news = [one for one in found if one.changed or one.negations % 2]
    if not news:
        return frozenset()
    by_word: defaultdict[str, list[int]] = defaultdict(list)
    for index, one in enumerate(found):
        for word in one.words:
            by_word[word].append(index)
    single = frozenset(index for index, one in enumerate(found) if one.clauses == 1)
    gone: set[int] = set()
    for new in news:
        near = single.intersection(chain.from_iterable(by_word[word][-_MOST_COMPARED:] for word in new.words))
        gone |= {index for index in near if found[index] is not new and _replaces(new, found[index], settings)}
    return frozenset(gone)


def _replaces(new: _Statement, old: _Statement, settings: KeeperSettings) -> bool:
    """Return whether a newer statement replaces an older one of a single clause; the most expensive check is last."""
    if not (old.words and new.words and old.is_before(new)):
        return False
    gone, added = old.words - new.words, new.words - old.words
    if (new.negations + old.negations) % 2 == 1:
        if added or len(new.words) < settings.same_denied * len(old.words):
            return False
    elif not (new.changed and (not gone or not added or (_is_value(gone, old) and _is_value(added, new)))):
        return False
    if old.numbered != new.numbered and old.numbered and new.numbered:
        return False  # line 12 and line 14 are different things
    return old.is_about(new)


def _is_value(differs: frozenset[str], statement: _Statement) -> bool:
    """Return whether a statement without numbers differs only in its last word, the value."""
    return len(differs) == 1 and statement.latin_words[-1:] == [*differs] and not statement.has_figures


def _root(word: str) -> str:
    """Return the common root of a word's forms."""
    return re.sub(r"(?:e|i)\Z", "", stem(word)) if word.isascii() else word
