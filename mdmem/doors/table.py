"""Aligns rows in columns, counting a Chinese character as two cells; the last column takes what is left."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence

from mdmem.doors.terminal import Paint, safe, width

Row = Sequence[str]


def table(header: Row, rows: Sequence[Row], styles: Row, paint: Paint) -> list[str]:
    """Give the lines of a table; on a terminal a row that is too wide is cut, in a pipe never."""
    clean = [[safe(cell) for cell in row] for row in rows]
    wide = [max(width(row[column]) for row in [header, *clean]) for column in range(len(header))]
    left = max(16, columns() - sum(wide[:-1]) - 2 * (len(wide) - 1))
    cut = [[*row[:-1], shorten(row[-1], left)] for row in clean]
    lines = [_line(header, wide, ["dim"] * len(header), paint)]
    return lines + [_line(row, wide, styles, paint) for row in cut]


def shorten(text: str, most: int) -> str:
    """Cut a text to a number of cells, the mark of it included."""
    if width(text) <= most:
        return text
    kept = 0
    for at, char in enumerate(text):
        kept += width(char)
        if kept > most - 1:
            return f"{text[:at]}…"
    return text


def _line(row: Row, wide: Sequence[int], styles: Row, paint: Paint) -> str:
    cells = [paint(style, cell) if style else cell for style, cell in zip(styles, row, strict=True)]
    pads = [" " * (most - width(cell)) for most, cell in zip(wide[:-1], row, strict=False)]
    return "  ".join(cell + pad for cell, pad in zip(cells, [*pads, ""], strict=True)).rstrip()


def columns() -> int:
    """Give the width of the terminal; in a pipe there is no limit."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 1 << 20
