"""Find the cells that stand below one heading of a Markdown table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

_RULE = pattern(r"[ \t>]*+\|?+(?:[ \t]*+:?+-++:?+[ \t]*+\|)*+(?:[ \t]*+:?+-++:?+)?+[ \t\r]*+")
_DASHES = pattern(r"^[ \t>|:]*+-[ \t>|:-]*+\r?$", re.MULTILINE)  # a line of signs only, so that few are looked at
_LEAD = pattern(r"[ \t>]*+\|?+")
_BAR = pattern(r"(?<!\\)\|")
_AROUND = " \t\r*_`\"'“”"  # what emphasis, code and quotation marks put around the text of a cell


class Cell(NamedTuple):
    """A cell below a heading: its place, without emphasis, and the whole line of headings."""

    span: Span
    heads: str


def cells_below(text: str, heading: Pattern) -> Iterator[Cell]:
    """Return the cells of each column whose whole heading matches; every line is read once."""
    done = 0
    for match in _DASHES.finditer(text):
        start, end = match.span()
        if start <= done or "|" not in match.group() or not _RULE.fullmatch(match.group()):
            continue
        head = _line(text, start - 1)
        wanted = [at for at, cell in enumerate(_cells(text, head)) if heading.fullmatch(cell.of(text))]
        done = end
        row = _line(text, end + 1)
        while wanted and "|" in row.of(text):
            cells = _cells(text, row)
            yield from (
                Cell(cells[at], head.of(text)) for at in wanted if at < len(cells) and cells[at].start < cells[at].end
            )
            done = row.end
            row = _line(text, row.end + 1)


def _line(text: str, at: int) -> Span:
    """Return the line around a place, without its ending; an empty span behind the end of the text."""
    if at > len(text):
        return Span(len(text), len(text))
    end = text.find("\n", at)
    return Span(text.rfind("\n", 0, at) + 1, len(text) if end < 0 else end)


def _cells(text: str, line: Span) -> list[Span]:
    """Return the cells of a row, each without what stands around its text."""
    lead = _LEAD.match(text, line.start, line.end)
    start = lead.end() if lead else line.start
    found: list[Span] = []
    for end in (*(bar.start() for bar in _BAR.finditer(text, start, line.end)), line.end):
        said = text[start:end]
        begin = start + len(said) - len(said.lstrip(_AROUND))
        found.append(Span(begin, max(begin, start + len(said.rstrip(_AROUND)))))
        start = end + 1
    return found
