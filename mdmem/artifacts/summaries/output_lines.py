"""What of an output is looked at: its lines without colours and hidden signs, of a huge one the two ends.

Every rule works line by line on lines of bounded length, so that no output, whatever it holds, takes long.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.messages.catalog import say
from mdmem.text.pattern import pattern

_END = 1_000_000  # characters of either end that are looked at
_LINES = 20_000  # and lines of them
_LONGEST = 1000  # characters of a line
# escape sequences of terminals, complete or cut off: colours, cursor moves, titles, hyperlinks
_ESCAPE = pattern("\x1b(?:\\[[0-?]{0,64}[ -/]{0,8}[@-~]?|\\][^\x07\x1b\n]{0,2048}(?:\x07|\x1b\\\\)?|[@-Z\\\\^_]?)")
_UNSEEN = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]+"
)


class OutputLines(NamedTuple):
    """An output as the rules see it."""

    lines: tuple[str, ...]  # without line endings and trailing spaces, clipped
    text: str  # all of it; empty where it was too long to be looked at whole
    total: int  # lines of the whole output
    exit_code: int | None

    @property
    def whole(self) -> bool:
        """Return whether every line was looked at."""
        return len(self.lines) == self.total


def plain(text: str) -> str:
    """Return a text as a person would see it: no escape sequences, no hidden characters, one kind of line ending."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def bounded_lines(output: str, exit_code: int | None) -> OutputLines:
    """Take the lines that the rules look at."""
    ends = output.count("\n") + output.count("\r") - output.count("\r\n")
    total = ends + (not output.endswith(("\n", "\r"))) if output else 0
    if len(output) <= 2 * _END and total <= 2 * _LINES:
        text = plain(output)
        return OutputLines(tuple(_lines(text)), text, total, exit_code)
    head, tail = _lines(plain(output[:_END]))[:_LINES], _lines(plain(output[-_END:]))[1:][-_LINES:]
    return OutputLines((*head, *tail), "", total, exit_code)


def _lines(text: str) -> list[str]:
    found = text.split("\n")
    if not found[-1]:
        found.pop()
    return [line[:_LONGEST].rstrip() for line in found]


def some(lang: str, names: Sequence[str], most: int, join: str = ", ") -> str:
    """List the first few, and say how many more there are."""
    shown = join.join(names[:most])
    return f"{shown} {say(lang, 'output.more', count=len(names) - most)}" if len(names) > most else shown
