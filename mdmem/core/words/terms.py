"""A text as terms: what an index holds of it, and what a question is compared with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from operator import add

from mdmem.core.pattern import pattern
from mdmem.core.words.days import without_days
from mdmem.core.words.fold import fold, plain
from mdmem.core.words.stem import stem

# scripts whose words no spaces part: Han, kana, Hangul, bopomofo, Thai, Lao, Burmese, Khmer
DENSE = (
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7a3"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"  # vowels and accents inside words
_SIGN = "\u00a9\u00ae\u203c-\u2049\u2100-\u27bf\u2900-\u297f\u2b00-\u2bff\U0001f000-\U0001faff"
_NAME = rf"[^\W{DENSE}][^\W{DENSE}{_MARKS}]*(?:(?:[{_MARKS}]|[-.:/@]+(?=[^\W{DENSE}]))[^\W{DENSE}]*)*"
_PIECE = pattern(rf"[{DENSE}]+|{_NAME}(?:\+\+|#(?!\w)|'[A-Za-z]+)?|[{_SIGN}]")
_ASCII = pattern(r"[A-Za-z0-9_]+(?:[-.:/@]+[A-Za-z0-9_]+)*(?:\+\+|#(?!\w)|'[A-Za-z]+)?")  # the same, of ASCII alone
_DENSE = pattern(rf"[{DENSE}]")
_DIGIT = pattern(r"\d")
_SEGMENT = pattern(r"[/:@]+")
_PART = pattern(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z][^\W\d_]*")
_CONTRACTED = ("", "s", "d", "ll", "m", "re", "ve")  # what follows an apostrophe and carries no content
_LONGEST = 64  # characters of a term; what is longer is found by its parts


def terms(text: str) -> list[str]:
    """Give the terms of a text in its order, each as often as it is said."""
    text = fold(text)
    found: list[str] = []
    if _DIGIT.search(text):
        text = without_days(text, found)
    if text.isascii():
        for piece in _ASCII.findall(text):
            found += _name(piece)
        return found
    for piece in _PIECE.findall(text):
        if is_dense(piece[0]):
            found += piece
            found += map(add, piece, piece[1:])
        else:
            found += _name(piece)
    return found


def pieces(text: str) -> Iterator[re.Match[str]]:
    """Give the words, names, runs of dense scripts and signs of a text."""
    return _PIECE.finditer(text)


@cache
def is_dense(char: str) -> bool:
    """Tell whether a character is of a script whose words no spaces part."""
    return _DENSE.match(char) is not None


@lru_cache(maxsize=50_000)
def _name(name: str) -> tuple[str, ...]:
    """Give what a word, a name in code, a number, a path, a version, an address is found by: its parts, and itself."""
    name, _, ending = name.partition("'")
    if ending.lower() not in _CONTRACTED:  # don't, o'clock
        name += ending
    small = plain(name)
    if not (small[:1].isalnum() or "_" in small):
        return (small,)  # a sign
    if small.isalpha() and (not name.isascii() or len(_PART.findall(name)) == 1):
        return (stem(small)[:_LONGEST],)
    segments = [one for one in _SEGMENT.split(name) if one]
    parts = [plain(part) for segment in segments for part in _PART.findall(segment)]
    wholes = dict.fromkeys(one for one in (*map(plain, segments), small) if one not in parts)
    return (*(stem(part)[:_LONGEST] for part in parts), *(stem(one) for one in wholes if len(one) <= _LONGEST))
