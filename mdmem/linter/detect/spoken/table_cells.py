"""Reads the cells of Markdown tables below given headings, without a parse; every line is read once."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

_RULE = pattern(r"[ \t>]*+\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)*+(?:[ \t]*+:?+-++:?+)?+[ \t\r]*+")
_DASHES = pattern(r"^[ \t>|:]*+-[ \t>|:-]*+\r?$", re.MULTILINE)  # a line of signs only, so that few lines are examined
_LEAD = pattern(r"[ \t>]*+\|?+")
_BAR = pattern(r"(?<!\\)\|")
_AROUND = " \t\r*_`\"'“”"  # marks around the text of a cell: emphasis, code, quotation


class Cell(NamedTuple):
    """A cell below a heading: its span, without emphasis, and the whole line of headings."""

    span: Span
    heads: str


def cells_below(text: str, heading: Pattern) -> Iterator[Cell]:
    """Yield the cells of each column whose whole heading matches; every line is read once."""
    end_of_table = 0
    for match in _DASHES.finditer(text):
        start, end = match.span()
        if start <= end_of_table or "|" not in match.group() or not _RULE.fullmatch(match.group()):
            continue
        head = _line(text, start - 1)
        wanted = [column for column, cell in enumerate(_cells(text, head)) if heading.fullmatch(cell.of(text))]
        end_of_table = end
        row = _line(text, end + 1)
        while wanted and "|" in row.of(text):
            cells = _cells(text, row)
            yield from (
                Cell(cells[column], head.of(text))
                for column in wanted
                if column < len(cells) and cells[column].start < cells[column].end
            )
            end_of_table = row.end
            row = _line(text, row.end + 1)


def _line(text: str, offset: int) -> Span:
    """Return the line around an offset, without its ending; an empty span after the end of the text."""
    if offset > len(text):
        return Span(len(text), len(text))
    end = text.find("\n", offset)
    return Span(text.rfind("\n", 0, offset) + 1, len(text) if end < 0 else end)


def _cells(text: str, line: Span) -> list[Span]:
    """Return the cells of a row, without the marks around their text."""
    lead = _LEAD.match(text, line.start, line.end)
    start = lead.end() if lead else line.start
    cells: list[Span] = []
    for end in (*(bar.start() for bar in _BAR.finditer(text, start, line.end)), line.end):
        cell = text[start:end]
        begin = start + len(cell) - len(cell.lstrip(_AROUND))
        cells.append(Span(begin, max(begin, start + len(cell.rstrip(_AROUND)))))
        start = end + 1
    return cells
