r"""Spans, lines and positions of a text.

Lines end where CommonMark says (`\n`, `\r\n`, `\r`) and nowhere else: `str.splitlines` would also break at
U+2028, form feeds and others, and every line number after such a character would be wrong.
"""

from __future__ import annotations

from bisect import bisect_right
from operator import sub
from typing import NamedTuple

from mdmem.text.pattern import pattern

LINE_END = pattern(r"\r\n|\r|\n")
_NEWLINE = pattern(r"\n")


class Span(NamedTuple):
    """A half-open range of code points in a document's text."""

    start: int
    end: int

    def of(self, text: str) -> str:
        """Return the text of the span."""
        return text[self.start : self.end]

    def overlaps(self, other: Span) -> bool:
        """Return whether the two spans share at least one code point."""
        return self.start < other.end and other.start < self.end

    def holds(self, other: Span) -> bool:
        """Return whether the other span is inside this one."""
        return self.start <= other.start and other.end <= self.end


def count_lines(text: str, start: int, end: int) -> int:
    """Count the line endings between two offsets that are at the beginning of a line."""
    return text.count("\n", start, end) + text.count("\r", start, end) - text.count("\r\n", start, end)


class Lines:
    """The lines of one text; numbers are 0-based, as in the Language Server Protocol."""

    __slots__ = ("_ends", "_starts", "_text", "longest")

    def __init__(self, text: str) -> None:
        self._text = text
        if "\r" in text:
            endings = [match.span() for match in LINE_END.finditer(text)]
            self._starts = [0, *(end for _, end in endings)]
            self._ends = [*(start for start, _ in endings), len(text)]
        else:
            self._ends = [match.start() for match in _NEWLINE.finditer(text)]
            self._starts = [0, *(end + 1 for end in self._ends)]
            self._ends.append(len(text))
        self.longest = max(map(sub, self._ends, self._starts))  # characters of the longest line

    def __len__(self) -> int:
        """Count the lines; a final line ending begins no line, except in an empty text."""
        return len(self._starts) - (1 if len(self._starts) > 1 and self._starts[-1] == len(self._text) else 0)

    def fit(self, most: int, most_chars: int) -> bool:
        """Return whether number and length of the lines are those of a memory; other texts must not be parsed."""
        return len(self) <= most and self.longest <= most_chars

    def start(self, line: int) -> int:
        """Return the offset of a line's first character."""
        return self._starts[line]

    def end(self, line: int) -> int:
        """Return the offset of a line's ending."""
        return self._ends[line]

    def span(self, line: int) -> Span:
        """Return the span of a line without its ending."""
        return Span(self._starts[line], self._ends[line])

    def full(self, first: int, last: int | None = None) -> Span:
        """Return the span of the lines from first to last (both included) with the last one's ending."""
        stop = (first if last is None else last) + 1
        return Span(self._starts[first], self._starts[stop] if stop < len(self._starts) else len(self._text))

    def text(self, line: int) -> str:
        """Return a line's text without its ending."""
        return self._text[self._starts[line] : self._ends[line]]

    def is_blank(self, line: int) -> bool:
        """Return whether a line contains only spaces and tabs."""
        return not self.text(line).strip(" \t")

    def last_filled(self, first: int, last: int) -> int:
        """Return the last line of a range that does not contain only spaces and tabs, but at least the first."""
        while last > first and (self._starts[last] == self._ends[last] or self.is_blank(last)):
            last -= 1
        return last

    def at(self, offset: int) -> int:
        """Return the line at an offset."""
        return bisect_right(self._starts, offset) - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, both 0-based, the column in code points."""
        line = self.at(offset)
        return line, offset - self._starts[line]

    @property
    def ending(self) -> str:
        """The most frequent line ending of the text; a newline if there is none."""
        crlf = self._text.count("\r\n")
        counts = {"\n": self._text.count("\n") - crlf, "\r\n": crlf, "\r": self._text.count("\r") - crlf}
        return max(counts, key=lambda ending: counts[ending])
