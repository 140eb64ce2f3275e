"""What a terminal shows: colour where there is one, the width of Chinese, and no character that could act on it."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import TextIO

_CODES = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2", "good": "32", "path": "1", "fix": "32"}

_OPENING, _CLOSING = "「（《“`", "」）》”。，、；：？！…`"
_when = "auto"


def choose(when: str) -> None:
    """Set when this process prints colour: always, never, or auto, which asks the stream and the environment."""
    global _when  # noqa: PLW0603 - as the environment, it holds for the whole process
    _when = when


def coloured(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that wants colour (NO_COLOR and FORCE_COLOR are heard)."""
    if _when != "auto":
        return _when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


class Paint:
    """Colours text, or leaves it alone."""

    def __init__(self, stream: TextIO) -> None:
        self.on = coloured(stream)

    def __call__(self, style: str, text: str) -> str:
        """Return the text in a style's colour."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.on and text else text


def safe(text: str) -> str:
    """Make invisible and control characters visible, so that a file's text can do nothing to the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "    " if char == "\t" else f"<{ord(char):04X}>" for char in text)


def width(text: str) -> int:
    """Count the columns that a text takes: Chinese and Japanese characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fold(text: str, columns: int, indent: int) -> list[str]:
    """Fold a text to a number of columns, at blanks and between Chinese characters; later lines are indented.

    The first line is taken to begin at the indent already. A word that is longer than a line stands alone, unbroken.
    """
    room, lines, line = max(20, columns - indent), [], ""
    for piece in _pieces(text):
        if line and width(line) + width(piece.rstrip()) > room:
            lines.append(line.rstrip())
            line = piece.lstrip()
        else:
            line += piece
    lines.append(line.rstrip())
    return [lines[0], *(" " * indent + one for one in lines[1:])]


def _pieces(text: str) -> list[str]:
    """Split a text where a line may end: behind blanks, and behind a wide character that no closing mark follows."""
    pieces, start = [], 0
    for at in range(1, len(text)):
        before, here = text[at - 1], text[at]
        wide = width(before) == 2 or width(here) == 2
        if (before == " " and here != " ") or (wide and here not in _CLOSING and before not in _OPENING):
            pieces.append(text[start:at])
            start = at
    return [*pieces, text[start:]]


def padded(text: str, most: int) -> str:
    """Fill a text with blanks up to a number of cells."""
    return text + " " * (most - width(text))


class ProgressLine:
    """Shows progress on a terminal's last line during long work, and nothing anywhere else."""

    def __init__(self, words: str) -> None:
        self.words, self.shown = words, False
        self.on = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show how far the work is; called often, prints every hundredth time."""
        if self.on and done and done % 100 == 0:
            share = f"/{total}" if total else ""
            sys.stderr.write(f"\r{self.words} {done}{share} ")
            sys.stderr.flush()
            self.shown = True

    def clear(self) -> None:
        """Take the line away."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
