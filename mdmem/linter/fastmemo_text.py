"""Reads fastmemo texts in the old format: `[section]` lines as headings, one memory per line, a header with a version.

They are recognised in any file of a closed kind; MM206 converts them. Until then, rules whose fixes would damage such a
text, or add what the conversion adds, ignore it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mdmem.formats.template import Template
from mdmem.text.document import Document
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_CANDIDATE = pattern(r"(?:\A|(?<=[\r\n]))[ ]{0,3}\[[^\[\]\r\n]{1,40}\][ \t]*(?:[:：]|(?=[\r\n])|\Z)")
_HEADER = pattern(r"\s*(\w+ v\d+ \|[^\r\n]*)")
_OPAQUE = frozenset(("fence", "code", "html", "table", "heading"))


class OldLine(NamedTuple):
    """A line that names a section in the old format, or the header line of the file."""

    line: int
    name: str  # empty for the header
    note: str  # what follows the name, or the header itself


def old_lines(document: Document, template: Template) -> tuple[OldLine, ...]:
    """Return the lines of a file in the old format, in order; only closed kinds ever had it.

    A bracket line counts if the template knows its name. If one does, so do the others that serve as headings in a file
    without any; otherwise a bracket line may be a link or a placeholder.
    """
    if template.policy != "closed":
        return ()
    lines = list(_brackets(document, template)) if "[" in document.text else []
    header = _HEADER.match(document.text, document.start)
    if header:
        lines.insert(0, OldLine(document.lines.at(header.start(1)), "", header.group(1).rstrip()))
    return tuple(lines)


def _brackets(document: Document, template: Template) -> Iterator[OldLine]:
    lines = [document.lines.at(match.start()) for match in _CANDIDATE.finditer(document.text, document.start)]
    sections = {document.lines.at(one.heading.start) for one in document.sections if one.style == "bracket"}
    candidates: list[tuple[bool, OldLine]] = []
    for line in _readable(document, lines):
        if match := document.bracket(line):
            name, note = match.group(1).strip(), (match.group(2) or "").rstrip()
            candidates.append((template.name(name) is not None and "://" not in note, OldLine(line, name, note)))
    if any(known for known, _ in candidates):
        yield from (old for known, old in candidates if known or old.line in sections)


def _readable(document: Document, lines: list[int]) -> Iterator[int]:
    """Yield the lines outside code, comments, tables, quotes, headings and the indented text of items."""
    opaque = iter(
        Span(block.line, block.last_line) for block in document.blocks if block.quoted or block.kind in _OPAQUE
    )
    items = iter(Span(block.line, block.last_line) for block in document.blocks if block.kind == "item")
    hidden, listed = _RangeEnds(opaque), _RangeEnds(items)
    for line in lines:
        in_item = listed.covers(line) and document.lines.text(line).startswith(" ")
        if not hidden.covers(line) and not in_item:
            yield line


class _RangeEnds:
    """The end of the ranges that have begun so far; ranges and questions come in order."""

    def __init__(self, ranges: Iterator[Span]) -> None:
        self.ranges = ranges
        self.next = next(ranges, None)
        self.last = -1

    def covers(self, line: int) -> bool:
        while self.next and self.next.start <= line:
            self.last = max(self.last, self.next.end)
            self.next = next(self.ranges, None)
        return line <= self.last
