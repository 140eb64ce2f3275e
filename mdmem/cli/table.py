"""Align rows in columns; wide characters count as two cells, and the last column takes the remaining width."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.cli.terminal import Paint, columns, fold, safe, width

Row = Sequence[str]
_LEAST = 24  # the fewest cells of a last column beside the others
_BELOW = "    "


def table(header: Row, rows: Sequence[Row], styles: Row, paint: Paint, *, whole: bool = False) -> list[str]:
    """Return the rows of a table.

    On a terminal, a last cell that is too wide is cut, or folded if it shall stay `whole`; lists of file names are cut
    between names. If the other columns leave too little room, the last cell is on a line of its own. In a pipe nothing
    is cut or folded.
    """
    clean = [[safe(cell) for cell in row] for row in rows]
    wide = [max(width(row[column]) for row in [header, *clean]) for column in range(len(header))]
    left = columns() - sum(wide[:-1]) - 2 * (len(wide) - 1)
    below = left < min(_LEAST, wide[-1])
    left = columns() - len(_BELOW) if below else left
    indent = columns() - left

    def last(text: str) -> str:
        if whole:
            return "\n".join(fold(text, columns(), indent))
        return shorten(text, left, names=styles[-1] == "path")

    cut = [[*row[:-1], last(row[-1])] for row in clean]
    lines = [_line(header, wide, ["dim"] * len(header), paint, below=below)]
    return lines + [_line(row, wide, styles, paint, below=below) for row in cut]


def shorten(text: str, most: int, *, names: bool = False) -> str:
    """Return a text cut to a number of cells including `…`; a list of names is cut between names."""
    if width(text) <= most:
        return text
    if names and ", " in text:
        shorter = text.rpartition(", ")[0]
        return shorten(shorter, most - 3, names=True).removesuffix(", …") + ", …"
    if names:
        return text
    kept = 0
    for at, char in enumerate(text):
        kept += width(char)
        if kept > most - 1:
            return f"{text[:at]}…"
    return text


def _line(row: Row, wide: Sequence[int], styles: Row, paint: Paint, *, below: bool) -> str:
    cells = [paint(style, cell) if style else cell for style, cell in zip(styles, row, strict=True)]
    pads = [" " * (most - width(cell)) for most, cell in zip(wide[:-1], row, strict=False)]
    first = "  ".join(cell + pad for cell, pad in zip(cells, pads, strict=False))
    return f"{first.rstrip()}\n{_BELOW}{cells[-1]}" if below else f"{first}  {cells[-1]}".rstrip()
