"""Terminal output: colours, the width of wide characters, folding, progress, and safe control characters."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import TextIO

_CODES = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2", "good": "32", "path": "1", "fix": "32"}

_OPENING, _CLOSING = "「（《“`", "」）》”。，、；：？！…`"
_when = "auto"


def choose(when: str) -> None:
    """Set when this process prints colour: always, never, or auto (by stream and environment)."""
    global _when  # noqa: PLW0603 - a setting of the process
    _when = when


def coloured(stream: TextIO) -> bool:
    """Return whether to colour a stream; in mode auto by NO_COLOR, FORCE_COLOR, TERM, and whether it is a terminal."""
    if _when != "auto":
        return _when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


class Paint:
    """Colours text if the stream wants colour."""

    def __init__(self, stream: TextIO) -> None:
        self.on = coloured(stream)

    def __call__(self, style: str, text: str) -> str:
        """Return a text in the colour of a style."""
        return f"\x1b[{_CODES[style]}m{text}\x1b[0m" if self.on and text else text


def safe(text: str) -> str:
    """Return a text with invisible and control characters escaped, so that it cannot control the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else "    " if char == "\t" else f"<{ord(char):04X}>" for char in text)


def width(text: str) -> int:
    """Return the columns of a text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text
    )


def fold(text: str, columns: int, indent: int) -> list[str]:
    """Return the lines of a text folded at blanks and between wide characters; lines after the first are indented.

    The first line is assumed to begin at the indent already. A word longer than a line is not broken.
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
    """Return the pieces of a text between positions where a line may end: after blanks and at wide characters."""
    pieces, start = [], 0
    for at in range(1, len(text)):
        before, here = text[at - 1], text[at]
        wide = width(before) == 2 or width(here) == 2
        if (before == " " and here != " ") or (wide and here not in _CLOSING and before not in _OPENING):
            pieces.append(text[start:at])
            start = at
    return [*pieces, text[start:]]


def folded(text: str, indent: int = 0, stream: TextIO | None = None) -> str:
    """Return a text folded to the terminal; what follows its first line is indented. In a pipe nothing is folded."""
    return "\n".join(fold(text, columns(stream), indent))


def columns(stream: TextIO | None = None) -> int:
    """Return the width of the terminal of a stream (default: standard output) in cells; a large number for a pipe."""
    if not (stream or sys.stdout).isatty():
        return 1 << 20
    import shutil  # costs more than the rest of this module

    return shutil.get_terminal_size().columns


def padded(text: str, most: int) -> str:
    """Return a text padded with blanks to a number of cells."""
    return text + " " * (most - width(text))


class ProgressLine:
    """Shows progress on the last line of a terminal; prints nothing elsewhere."""

    def __init__(self, words: str) -> None:
        self.words, self.shown = words, False
        self.on = sys.stderr.isatty()

    def __call__(self, done: int, total: int) -> None:
        """Show the progress; prints at every hundredth step."""
        if self.on and done and done % 100 == 0:
            share = f"/{total}" if total else ""
            sys.stderr.write(f"\r{self.words} {done}{share} ")
            sys.stderr.flush()
            self.shown = True

    def clear(self) -> None:
        """Erase the line."""
        if self.shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
