"""What a terminal shows: colour where there is one, the width of Chinese, and no character that could act on it."""

from __future__ import annotations

import os
import sys
import unicodedata
from typing import TextIO

_CODES = {"error": "31", "warning": "33", "note": "36", "bold": "1", "dim": "2", "good": "32", "path": "1", "fix": "32"}


def coloured(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal that wants colour (NO_COLOR and FORCE_COLOR are heard)."""
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (stream.isatty() and os.environ.get("TERM") != "dumb")


class Paint:
    """Colours text, or leaves it alone."""

    def __init__(self, stream: TextIO) -> None:
        self.on = coloured(stream)

    def __call__(self, style: str, text: str) -> str:
        """Give the text in a style's colour."""
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


class Counter:
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
