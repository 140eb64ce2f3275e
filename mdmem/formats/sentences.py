"""Splits text into sentences, without breaking names and numbers.

The ends are those of Unicode's rules (UAX #29, SB4 to SB11), tailored for what these rules get wrong: abbreviations,
initials, ordinals, and marks inside a quotation. Unclear cases are not split. The word lists are settings.
"""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.settings.tables import SentenceSettings
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END

_ENDS = pattern(r"[.．!?。！？｡‼⁇⁈⁉…؟।॥]+")
_FULL = frozenset("。！？｡।॥")  # ends without white space after them
_CLOSERS = pattern(r"[\"'”’」』）)\]】》〉»›`*_]*")
_CONTINUES = frozenset(",;:，、；：")  # SContinue of UAX #29 without dashes, which may begin a remark
_PAIRS = {"“": "”", "「": "」", "『": "』", "（": "）", "(": ")", "《": "》", "【": "】", "[": "]", "«": "»"}
_TOGGLES = '"`'
_MARK = pattern("[" + "".join(f"\\{one}" for one in (*_PAIRS, *_PAIRS.values(), *_TOGGLES)) + "]")
_WIDE = "⺀"  # from here on, scripts are written without white space between words
_OPENERS = frozenset("([（【")  # a remark in brackets is a sentence of its own
_STOPS = frozenset(".．…")
_WORD = pattern(r"[^\s\"'“”‘’「」『』（）()\[\]{}«»,;:，、；：/—–]*\Z")
_NEXT = pattern(r"([\s\"'“‘「『（(\[«»*_,;:，、；：]*)([^\W_]?(?:[\w]|['’](?=\w))*)")
_INITIALS = pattern(r"(?:[^\W\d_]\.)*[^\W\d_]\Z")
_ORDINAL = pattern(r"\d{1,3}\Z")
_LAST = ".．!?。！？｡…"
_DEPTH = 8  # open marks that are compared with a closing one
_LONGEST_WORD = 40  # characters before a full stop that are read


class Splitter:
    """Splits text into sentences with the word lists of `[sentences]`."""

    def __init__(self, words: SentenceSettings) -> None:
        self._titles = frozenset(map(str.casefold, words.titles))
        self._abbreviations = frozenset(map(str.casefold, words.abbreviations))
        self._numbered = frozenset(map(str.casefold, words.numbered))
        self._starters = frozenset(map(str.casefold, words.starters))
        self._ordinals = frozenset(map(str.casefold, words.after_ordinals))
        self._quoted_chars = words.quoted_chars
        self.masked_words = words.masked_words

    def split(self, text: str) -> tuple[str, ...]:
        """Return the sentences, each without white space around it; the end of a line ends a sentence."""
        return tuple(one for line in LINE_END.split(text) for one in self._line(line))

    def _line(self, line: str) -> Iterator[str]:
        start = 0
        for end in (*self._ends(line), len(line)):
            if found := line[start:end].strip():
                yield found
            start = end

    def _ends(self, line: str) -> Iterator[int]:
        """Yield the offsets after the ends of sentences."""
        quoted = _quotations(line, self._quoted_chars)
        is_cased = any(
            map(str.isupper, line)
        )  # in a text without capitals, lower case is no sign of continuation (SB8)
        start = index = 0
        for match in _ENDS.finditer(line):
            while index < len(quoted) and quoted[index][1] <= match.start():
                index += 1
            if index < len(quoted) and quoted[index][0] < match.start():
                continue
            closers = _CLOSERS.match(line, match.end())
            end = closers.end() if closers else match.end()
            if self._is_end(line, start, match.span(), end, is_cased=is_cased):
                yield end
                start = end

    def _is_end(self, line: str, start: int, marks: tuple[int, int], end: int, *, is_cased: bool) -> bool:
        """Return True if marks, with closing marks up to `end`, end the sentence that begins at `start`."""
        (at, after), rest = marks, line[end : end + 1]
        if not rest:
            return True
        if not rest.isspace():  # only a wide mark ends a sentence without white space; none does after a quotation
            wide = line[after - 1] in _FULL or (
                rest >= _WIDE and line[at - 1 : at] >= _WIDE and "…" not in line[at:after]
            )
            return wide and end == after and rest not in _CONTINUES
        following = _NEXT.match(line, end)
        lead, next_word = following.groups() if following else ("", "")
        if any(one in _CONTINUES for one in lead):
            return False
        small = is_cased and next_word[:1].islower() and not _OPENERS.intersection(lead)
        if (
            set(line[at:after]) - _STOPS
        ):  # after ! and ?, lower case continues the sentence only after a closed quotation
            return not small or end == after
        return not small and (after - at > 1 or not self._is_part_of_word(line, start, at, next_word))

    def _is_part_of_word(self, line: str, start: int, at: int, next_word: str) -> bool:
        """Return True if a full stop belongs to the word before it and the sentence continues."""
        found = _WORD.search(line[max(start, at - _LONGEST_WORD) : at])
        word = found.group().casefold() if found else ""
        if not word:
            return False
        lead = line[start : at - len(word)] if at - len(word) - start <= _LONGEST_WORD else word
        if not lead.strip(" \t-*>(") and (word.isdigit() or len(word) == 1):
            return True  # the number or letter of a list item
        if word in self._titles or (word in self._numbered and next_word[:1].isdigit()):
            return True
        if _ORDINAL.match(word):
            return next_word.casefold() in self._ordinals
        short = word in self._abbreviations or (word != "i" and word[-1] < _WIDE and _INITIALS.match(word) is not None)
        return short and next_word.casefold() not in self._starters


def _quotations(line: str, most: int) -> list[tuple[int, int]]:
    """Return the outermost quotations and brackets that are closed, as (opening mark, closing mark).

    A full stop before the closing mark of a quotation that ends there may end the sentence, so the last character
    inside is left out. A quotation longer than `most` has sentences of its own.
    """
    found: list[tuple[int, int]] = []
    open_: list[tuple[str, int]] = []
    for match in _MARK.finditer(line):
        mark, at = match.group(), match.start()
        known = next((index for index in range(len(open_) - 1, max(-1, len(open_) - _DEPTH), -1)
                      if open_[index][0] == mark), None)  # fmt: skip
        if known is not None:
            begin = open_[known][1]
            del open_[known:]
            if at - begin <= most:
                inside = line[begin:at].rstrip().rstrip(_LAST)
                while found and found[-1][0] > begin:
                    found.pop()
                found.append((begin, begin + len(inside)))
        elif mark in _PAIRS:
            open_.append((_PAIRS[mark], at))
        elif mark in _TOGGLES:
            open_.append((mark, at))
    return found
