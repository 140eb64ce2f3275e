"""Patterns for lists of words. A text that holds none of the words is answered without the pattern.

Such a list is long, and most texts hold none of its words: to look for each of them takes a third of the time of the
pattern. What no text needs is never compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from mdmem.text.pattern import Pattern, pattern

_LATIN = pattern(r"[A-Za-z]")
_GAP = "…"
_OUTSIDE_LEFT, _OUTSIDE_RIGHT = "(?<![A-Za-z0-9_])", "(?![A-Za-z0-9_])"
_BETWEEN = ".{0,40}?"
_SOON = r"[^,，;；:：。.!?！？]{0,12}?"  # a few words of the same clause
_NEVER = r"(?!)"
_TWO = 2  # sides of a row
_SHORT = 400  # characters of a list of words that is compiled whole at once


class PhrasePattern:
    """A regular expression of which each match holds one of some words; `…` in a word is any text of a clause."""

    def __init__(self, words: Iterable[str], source: Callable[[str], str] = str) -> None:
        """Bind to words; `source` makes the whole expression of the one for the words."""
        self._words, self._source = tuple(filter(None, words)), source
        self._whole: Pattern | None = None
        self._parts: dict[frozenset[str], Pattern] = {}
        self._left = sum(map(len, self._words)) - _SHORT  # characters that the parts may still have

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first match."""
        return found.search(text, start) if (found := self._pattern_for(text)) else None

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the match that begins at an offset."""
        return found.match(text, start) if (found := self._pattern_for(text)) else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match that is the whole text."""
        return found.fullmatch(text) if (found := self._pattern_for(text)) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches."""
        return found.finditer(text) if (found := self._pattern_for(text)) else iter(())

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return a text with all matches replaced."""
        return found.sub(new, text) if (found := self._pattern_for(text)) else text

    def may_match(self, text: str) -> bool:
        """Return False if a text holds none of the words."""
        folded = fold_case(text)
        for needle in self._needles:  # noqa: SIM110 - `any` takes twice as long
            if needle in folded:
                return True
        return False

    def _pattern_for(self, text: str) -> Pattern | None:
        """Return a pattern that finds in a text what the whole one finds; None if it holds none of the words.

        A long list takes long to compile, and a text holds few of its words: only these are compiled. When the parts
        together are as long as the whole list, that is compiled, once for all texts.
        """
        if self._whole is not None:
            return self._whole if self.may_match(text) else None
        folded = fold_case(text)
        found = [needle for needle in self._needles if needle in folded]
        held = frozenset(found)
        if found and held not in self._parts:
            if self._left <= 0:
                held = frozenset(self._needles)
            source = self._source_for(held)
            self._left -= len(source)
            self._parts[held] = pattern(source)
            if len(held) == len(self._needles):
                self._whole = self._parts[held]
        return self._parts.get(held)

    def _source_for(self, held: frozenset[str]) -> str:
        """Return the source of the pattern for the words with some needles."""
        return self._source(source_of([word for word in self._words if _needle(word) in held], self._words))

    @cached_property
    def _needles(self) -> tuple[str, ...]:
        """The needles of all words."""
        return tuple(dict.fromkeys(map(_needle, self._words)))


def any_of(words: Iterable[str]) -> PhrasePattern:
    """Return a pattern for any of these words, the longest first; Latin words match whole and in any case."""
    return _any_of(tuple(words))


@lru_cache(maxsize=512)
def _any_of(words: tuple[str, ...]) -> PhrasePattern:
    """Return one pattern for the same words, so that workspaces with the same settings compile it once."""
    return PhrasePattern(words)


class SequencePattern(PhrasePattern):
    """A pattern of which each match holds a word of each part of a row, in order: `write, draft : letter, poem`."""

    def __init__(self, rows: Iterable[str]) -> None:
        """Bind to rows; a text without a word of the most telling part of any row cannot match."""
        split = ([_words(part) for part in row.split(" : ")] for row in rows)
        self._rows = [[part for part in row if part] for row in split if any(row)]
        self._telling = [max(row, key=lambda part: min(map(len, part))) for row in self._rows]  # long words are rare
        super().__init__(word for part in self._telling for word in part)

    def may_match(self, text: str) -> bool:
        """Return False if no row has a word of each of its parts in a text."""
        if not super().may_match(text):
            return False
        folded = fold_case(text)
        return any(all(any(map(folded.__contains__, part)) for part in row) for row in self._row_needles)

    @property
    def words(self) -> tuple[str, ...]:
        """The words of all rows."""
        return tuple(word for row in self._rows for part in row for word in part)

    @cached_property
    def _row_needles(self) -> list[list[list[str]]]:
        """The needles of each part of a row."""
        return [[list(map(_needle, part)) for part in row] for row in self._rows]

    def _source_for(self, held: frozenset[str]) -> str:
        told = zip(self._rows, self._telling, strict=True)
        rows = [row for row, part in told if any(_needle(word) in held for word in part)]
        return "|".join(map(_sequence_source, rows)) or _NEVER


class PairPattern(PhrasePattern):
    """A pattern for words, and for pairs with few words between them: `undecided`, `not, yet to : agreed, fixed`."""

    def __init__(self, words: Iterable[str], rows: Iterable[str]) -> None:
        """Bind to words, and to rows of first and second words; a row of another form is passed over."""
        self._single = tuple(words)
        self.pairs = [(_words(first), _words(second)) for first, second in _pairs(rows)]
        super().__init__((*self._single, *(word for first, _ in self.pairs for word in first)))

    def _source_for(self, held: frozenset[str]) -> str:
        single = source_of([word for word in self._single if _needle(word) in held], self._single)
        pairs = [pair for pair in self.pairs if any(_needle(word) in held for word in pair[0])]
        return "|".join((single, *(f"(?:{source_of(first)}){_SOON}(?:{source_of(second)})" for first, second in pairs)))


def _pairs(rows: Iterable[str]) -> Iterator[list[str]]:
    return (parts for row in rows if len(parts := row.split(":")) == _TWO)


def _words(part: str) -> list[str]:
    return [word for word in map(str.strip, part.split(",")) if word]


def _sequence_source(parts: Sequence[Sequence[str]]) -> str:
    """Return the source for one word of each part, with what `source_of` puts around a whole phrase."""
    sources = [list(map(_inner, part)) for part in parts]
    sources[0] = [f"{_frame(word)[0]}{_word_pattern(word)}" for word in parts[0]]
    sources[-1] = [f"{one}{_frame(word)[1]}" for one, word in zip(sources[-1], parts[-1], strict=True)]
    case = "i" if any(_LATIN.search(word) for part in parts for word in part) else ""
    between = _BETWEEN.join("(?:" + "|".join(some) + ")" for some in sources)
    return f"(?{case}:{between})"


def source_of(words: Iterable[str], whole: Iterable[str] = ()) -> str:
    """Return the source of a pattern for any of these words, as a part of another one.

    Args:
        words: the words.
        whole: the list that they are a part of, whose pattern tries its words in the same order.
    """
    groups: dict[tuple[str, str, str], list[str]] = {_group(word): [] for word in _longest_first(whole)}
    for word in _longest_first(words):
        groups.setdefault(_group(word), []).append(_word_pattern(word))
    found = [f"{left}(?{case}:{'|'.join(some)}){right}" for (left, case, right), some in groups.items() if some]
    return "|".join(found) or _NEVER


def _longest_first(words: Iterable[str]) -> list[str]:
    return sorted(filter(None, words), key=len, reverse=True)


def _group(word: str) -> tuple[str, str, str]:
    """Return what a phrase shares with others in a pattern: what must stand before it, its flag, what behind it."""
    left, right = _frame(word)
    return left, "i" if _LATIN.search(word) else "", right


def _frame(word: str) -> tuple[str, str]:
    """Return what must stand around a phrase: no letter beside a letter."""
    begins, ends = (char.isascii() and char.isalnum() for char in (word[0], word[-1]))
    return _OUTSIDE_LEFT if begins else "", _OUTSIDE_RIGHT if ends else ""


def _needle(word: str) -> str:
    """Return the longest part of a phrase; each match has it."""
    return fold_case(max(word.split(_GAP), key=len) if _GAP in word else word)


def _inner(word: str) -> str:
    return _BETWEEN.join(map(re.escape, word.split(_GAP)))


def _word_pattern(word: str) -> str:
    inner = _inner(word)
    if word[0] == "不" and word[1:]:  # 要不要 and 能不能 are questions, not prohibitions
        return f"(?<!{re.escape(word[1])}){inner}"
    return inner


def fold_case(text: str) -> str:
    """Return a text in which all letters are equal that a pattern takes for equal: it reads `İ` and `ı` as `i`."""
    return text.lower() if text.isascii() else text.casefold().replace("i̇", "i").replace("ı", "i")
