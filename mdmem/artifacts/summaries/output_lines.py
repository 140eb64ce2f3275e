"""Normalizes an output for summaries: lines without colours and hidden characters; of a huge output the two ends.

Every rule works line by line on lines of bounded length, so the time is linear in the output.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.linter.masking import ESCAPE
from mdmem.messages.catalog import say
from mdmem.text.pattern import pattern

_END = 1_000_000  # characters of either end that are read
_LINES = 20_000  # lines of either end that are read
_LONGEST = 1000  # characters of a line that are read
_UNSEEN = pattern(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]+"
)


class OutputLines(NamedTuple):
    """An output, normalized for the summary rules."""

    lines: tuple[str, ...]  # without line endings and trailing spaces, clipped
    text: str  # the whole text; empty if it is too long
    total: int  # lines of the whole output
    exit_code: int | None

    @property
    def whole(self) -> bool:
        """Return whether `lines` holds every line."""
        return len(self.lines) == self.total


def plain(text: str) -> str:
    """Return a text as displayed: no escape sequences, no hidden characters, one kind of line ending."""
    if "\x1b" in text:
        text = ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text if text.isascii() and text.isprintable() else _UNSEEN.sub("", text)


def bounded_lines(output: str, exit_code: int | None) -> OutputLines:
    """Return the lines that the summary rules read."""
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
    """Return the first few names joined, and the number of the others."""
    shown = join.join(names[:most])
    return f"{shown} {say(lang, 'output.more', count=len(names) - most)}" if len(names) > most else shown
