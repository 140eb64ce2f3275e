"""Patterns for lists of words. A text that holds none of the words is answered without the pattern.

Such a list is long, and most texts hold none of its words: to look for each of them takes a third of the time of the
pattern, and a pattern that no text needs is never compiled.
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
_NEVER = r"(?!)"


class PhrasePattern:
    """A regular expression of which each match holds one of some words; `…` in a word is any text of a clause."""

    def __init__(self, words: Iterable[str], source: Callable[[str], str] = str) -> None:
        """Bind to words; `source` makes the whole expression of the one for the words."""
        self._words, self._source = tuple(filter(None, words)), source

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the first match."""
        return self._pattern.search(text, start) if self.may_match(text) else None

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Return the match that begins at an offset."""
        return self._pattern.match(text, start) if self.may_match(text) else None

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Return the match that is the whole text."""
        return self._pattern.fullmatch(text) if self.may_match(text) else None

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Yield all matches."""
        return self._pattern.finditer(text) if self.may_match(text) else iter(())

    def sub(self, new: str | Callable[[re.Match[str]], str], text: str) -> str:
        """Return a text with all matches replaced."""
        return self._pattern.sub(new, text) if self.may_match(text) else text

    def may_match(self, text: str) -> bool:
        """Return False if a text holds none of the words."""
        folded = _folded(text)
        for needle in self._needles:  # noqa: SIM110 - `any` takes twice as long
            if needle in folded:
                return True
        return False

    @cached_property
    def _needles(self) -> tuple[str, ...]:
        """The longest part of each word, which stands in each match of it."""
        return tuple(dict.fromkeys(_folded(max(word.split(_GAP), key=len)) for word in self._words))

    @cached_property
    def _pattern(self) -> Pattern:
        return pattern(self._source(source_of(self._words)))


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
        telling = (max(row, key=lambda part: min(map(len, part))) for row in self._rows)  # long words are rare
        super().__init__(word for part in telling for word in part)

    def may_match(self, text: str) -> bool:
        """Return False if no row has a word of each of its parts in a text."""
        if not super().may_match(text):
            return False
        folded = _folded(text)
        return any(all(any(map(folded.__contains__, part)) for part in row) for row in self._row_needles)

    @cached_property
    def _row_needles(self) -> list[list[list[str]]]:
        """The longest part of each word of each part of a row."""
        return [[[_folded(max(word.split(_GAP), key=len)) for word in part] for part in row] for row in self._rows]

    @cached_property
    def _pattern(self) -> Pattern:
        return pattern("|".join(map(_sequence_source, self._rows)) or _NEVER)


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


def source_of(words: Iterable[str]) -> str:
    """Return the source of a pattern for any of these words, as a part of another one."""
    groups: dict[tuple[str, str, str], list[str]] = {}
    for word in sorted(filter(None, words), key=len, reverse=True):
        left, right = _frame(word)
        case = "i" if _LATIN.search(word) else ""
        groups.setdefault((left, case, right), []).append(_word_pattern(word))
    found = [f"{left}(?{case}:{'|'.join(some)}){right}" for (left, case, right), some in groups.items()]
    return "|".join(found) or _NEVER


def _frame(word: str) -> tuple[str, str]:
    """Return what must stand around a phrase: no letter beside a letter."""
    begins, ends = (char.isascii() and char.isalnum() for char in (word[0], word[-1]))
    return _OUTSIDE_LEFT if begins else "", _OUTSIDE_RIGHT if ends else ""


def _inner(word: str) -> str:
    return _BETWEEN.join(map(re.escape, word.split(_GAP)))


def _word_pattern(word: str) -> str:
    inner = _inner(word)
    if word[0] == "不" and word[1:]:  # 要不要 and 能不能 are questions, not prohibitions
        return f"(?<!{re.escape(word[1])}){inner}"
    return inner


def _folded(text: str) -> str:
    """Return a text in which all letters are equal that a pattern takes for equal: it reads `İ` and `ı` as `i`."""
    return text.casefold().replace("i̇", "i").replace("ı", "i")
