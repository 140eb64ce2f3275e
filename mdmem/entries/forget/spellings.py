"""Regular expressions that find a text in every spelling of Unicode. Pure.

One letter has several: one character, or a base letter and its combining marks (`é`), another width, font or case, a
part of a ligature (`ﬁ`). The expression has one class of characters for each character of the folded text, and
alternatives only where several may stand as one, so that a search takes time in proportion to what it searches.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise, permutations

from mdmem.linter.views.decoded_views import INVISIBLE
from mdmem.text.inline import NOT_DENSE
from mdmem.text.pattern import pattern

_HIDDEN = f"[{INVISIBLE}]*"
_LETTER = rf"[^\W_](?<=[{NOT_DENSE}])"  # or a digit, of a script that separates words by blanks
_WORD = pattern(_LETTER)
_NOT_BEHIND, _NOT_BEFORE = f"(?<!{_LETTER})", f"(?!{_LETTER})"
_NAME_GAP = r"[\W_]{0,8}"  # limited, for some of these characters stand for letters: `ⓐ`
_PIECE = pattern(r"[^\W_]+")
# the blocks that hold letters of two cases, and characters that stand for others
_FOLDED = (
    (0x41, 0x3400), (0xA640, 0xABC0), (0xF900, 0x10000), (0x10400, 0x10600), (0x10780, 0x107C0), (0x10C80, 0x10D00),
    (0x118A0, 0x118E0), (0x16E40, 0x16E80), (0x1D400, 0x1D800), (0x1E900, 0x1E944), (0x1EE00, 0x1F300),
    (0x1FBF0, 0x1FBFA), (0x2F800, 0x2FA20),
)  # fmt: skip
_DOTTED = {"İ": "i", "ı": "i"}  # Turkish; capitals and small letters are told apart by the language only
_DOT = "\u0307"
_MOST_MARKS = 3  # of a letter that are tried in every order
_MOST_WAYS = 64  # to spell one run of characters; a longer run is split
_SPLIT = 4


def text_pattern(words: str) -> str:
    """Return the expression that finds a text whatever its spelling, its spacing and its hidden characters.

    A text that begins or ends with a letter or a digit does not match inside a longer word: `Tom` not in `tomorrow`.
    """
    words = unicodedata.normalize("NFC", words)
    pieces = words.split()
    out = (_NOT_BEHIND if _WORD.match(words[0]) else "") + _spellings(pieces[0])
    for before, piece in pairwise(pieces):
        gap = r"\s+" if before[-1].isascii() and piece[0].isascii() else r"\s*"
        out += gap + _spellings(piece)
    return out + _no_mark(words[-1]) + (_NOT_BEFORE if _WORD.match(words[-1]) else "")


def without_hidden(text: str) -> str:
    """Return a text without the characters that a reader does not see."""
    return re.sub(_HIDDEN, "", text)


def name_pattern(words: str) -> str:
    """Return the expression that finds a text in a name: its words, with at most a few other characters between."""
    pieces = name_pieces(words)
    joined = _NAME_GAP.join(map(_spellings, pieces))
    return f"(?:(?<![a-zA-Z0-9]){joined}{_no_mark(pieces[-1][-1])}(?![a-zA-Z0-9]))" if pieces else "(?!)"


def name_pieces(words: str) -> list[str]:
    """Return the words of a text as they are in a name that mdmem makes."""
    return _PIECE.findall(unicodedata.normalize("NFKC", words).casefold())


def _spellings(piece: str) -> str:
    """Return the expression for text without blanks."""
    folded = unicodedata.normalize("NFD", "".join(map(_fold, piece))).replace(f"i{_DOT}", "i")
    return _HIDDEN.join(_of_run(folded[begin:end]) for begin, end in _runs(folded))


def _fold(char: str) -> str:
    """Return a character without width, font and case, decomposed; one that stands for a blank stays."""
    plain = unicodedata.normalize("NFKD", _DOTTED.get(char, char))
    return char if any(map(str.isspace, plain)) else unicodedata.normalize("NFKD", plain.casefold())


@cache
def _characters() -> dict[str, str]:
    """Return for a folded text the characters that stand for it."""
    found: dict[str, str] = {}
    for first, last in _FOLDED:
        for char in map(chr, range(first, last)):
            if (folded := _fold(char)) != char:
                found[folded] = found.get(folded, "") + char
    return found


def _as_one(folded: str) -> str:
    """Return the single characters that stand for several; empty if there are none."""
    composed = unicodedata.normalize("NFC", folded)  # a syllable of Hangul is in no table
    return _characters().get(folded, "") + (composed if len(composed) == 1 else "")


def _runs(folded: str) -> Iterator[tuple[int, int]]:
    """Split a folded text into runs that are spelled each for itself: single characters, and what may stand as one."""
    most = max(map(len, _characters()))
    begin = end = 0
    for at in range(len(folded)):
        if at == end:
            if at:
                yield begin, end
            begin, end = at, at + 1
        longest = next((n for n in range(min(most, len(folded) - at), 1, -1) if _as_one(folded[at : at + n])), 1)
        end = max(end, at + longest)
        if end < len(folded) and unicodedata.combining(folded[end]):
            end += 1
    if folded:
        yield begin, end


def _of_run(run: str) -> str:
    ways = list(_ways(run))
    if len(ways) > _MOST_WAYS:
        return _HIDDEN.join(_of_run(run[at : at + _SPLIT]) for at in range(0, len(run), _SPLIT))
    return _HIDDEN.join(ways[0]) if len(ways) == 1 else f"(?:{'|'.join(map(_HIDDEN.join, ways))})"


def _ways(run: str) -> Iterator[Sequence[str]]:
    """Yield the sequences of classes of characters that spell a run, up to one more than are used."""
    orders = [run]
    marks = run[1:]
    if 1 < len(marks) <= _MOST_MARKS and all(map(unicodedata.combining, marks)):
        swapped = sorted({run[0] + "".join(order) for order in permutations(marks)} - {run})
        orders += [one for one in swapped if unicodedata.normalize("NFD", one) == run]
    waiting: list[tuple[str, tuple[str, ...]]] = [(one, ()) for one in orders]
    count = 0
    while waiting and count <= _MOST_WAYS:
        rest, begun = waiting.pop()
        if not rest:
            count += 1
            yield begun
            continue
        waiting += [
            (rest[length:], (*begun, f"[{re.escape(chars)}]"))
            for length in range(2, len(rest) + 1)
            if (chars := _as_one(rest[:length]))
        ]
        waiting.append((rest[1:], (*begun, _class(rest[0]))))


def _class(char: str) -> str:
    """Return the class of the characters that stand for one."""
    chars = char + _characters().get(char, "")
    found = re.escape(char) if chars == char else f"[{re.escape(chars)}]"
    return f"{found}{_DOT}?" if char == "i" else found


def _no_mark(char: str) -> str:
    """Return what lets no mark follow that makes another letter of this one: `cafe` is no part of `café`."""
    marks = {folded[-1] for folded in _characters() if len(folded) == 2 and unicodedata.combining(folded[-1])}
    others = sorted(mark for mark in marks if len(unicodedata.normalize("NFC", char + mark)) == 1)
    return f"(?![{''.join(others)}])" if others else ""
