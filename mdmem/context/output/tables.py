"""Tables: rows, columns and their names, the ranges of the numbers, the first and the last row."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say, some
from mdmem.core.pattern import pattern
from mdmem.core.settings.files import ArtifactSettings

_LEAST = 3  # lines, the header among them
_RULE = pattern(r"[\s|+:=-]+\Z")
_GAP = pattern(r"\t+| {2,}")
_HEADER = pattern(r"[A-Z%#][A-Z0-9%#()/_.:+ -]*\Z")  # a column's name, in capitals
_NUMBER = pattern(r"-?\d{1,15}(?:[.,]\d{1,15})?\Z")

Rows = list[list[str]]


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Find rows of one width: Markdown, separated by tab, comma, semicolon or bar, or aligned below capitals."""
    lines = [line for line in seen.lines if line.strip()]
    if len(lines) < _LEAST - 1:
        return []
    rows = _markdown(lines) or _aligned(lines) or _separated(lines)
    if not rows:
        return []
    header, body = rows[0], rows[1:]
    names = some(lang, header, numbers.columns)
    told = [say(lang, "table", rows=len(body), columns=len(header), names=names)]
    if ranges := _ranges(header, body, lang, numbers.ranges):
        told.append(", ".join(ranges))
    ends = [
        say(lang, key, item=" | ".join(row)) for key, row in zip(("first", "last"), (body[0], body[-1]), strict=True)
    ]
    return told + ends[: len(body)]


def _markdown(lines: Sequence[str]) -> Rows:
    framed = [line for line in lines if line.lstrip().startswith("|")]
    if len(framed) < _LEAST or len(framed) * 2 < len(lines) or not _RULE.match(framed[1]):
        return []
    told = [line for line in framed if not _RULE.match(line)]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in told]
    return rows if len(rows) > 1 else []


def _aligned(lines: Sequence[str]) -> Rows:
    """Take what stands below a header in capitals, as `ps` and `kubectl` print it."""
    header = _GAP.split(lines[0].strip())
    if len(header) == 1 or not all(map(_HEADER.match, header)):
        return []
    rows = [_GAP.split(line.strip()) for line in lines[1:] if not _RULE.match(line)]
    fit = [row for row in rows if abs(len(row) - len(header)) <= 1]
    return [header, *rows] if rows and len(fit) * 10 >= len(rows) * 7 else []


def _separated(lines: Sequence[str]) -> Rows:
    if len(lines) < _LEAST:
        return []
    for mark in "\t;,|":
        width = lines[0].count(mark)
        # prose has commas too, but a space behind each
        if not width or (mark == "," and lines[0].count(", ") * 2 > width):
            continue
        rows = _split(lines, mark)
        fit = sum(len(row) == width + 1 for row in rows)
        if fit * 10 >= len(rows) * 9 and len(rows) >= _LEAST:
            return rows
    return []


def _split(lines: Sequence[str], mark: str) -> Rows:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    except csv.Error:
        return []


def _ranges(header: Sequence[str], body: Rows, lang: str, most: int) -> list[str]:
    """Give the smallest and the largest value of the columns that hold numbers only."""
    found: list[str] = []
    for column, name in enumerate(header):
        cells = [row[column] for row in body if column < len(row) and row[column]]
        values = [float(cell.replace(",", ".")) for cell in cells if _NUMBER.match(cell)]
        if values and len(values) == len(cells) and len(values) > 1 and len(found) < most:
            found.append(say(lang, "from-to", name=name, low=f"{min(values):g}", high=f"{max(values):g}"))
    return found
