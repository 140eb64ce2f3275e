"""What a merge moves about: a file as a sequence of entries, keys of front matter, closed blocks, and single lines."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, pairwise

from mdmem.core.document import Document
from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.core.text import LINE_END

_KEY = pattern(r"([^\s#:'\"-][^:]*):(?:\s|\Z)")
_WHOLE = frozenset(("fence", "code", "html", "table"))  # blocks that are changed as one


class Unit(NamedTuple):
    """Lines that stand and change together."""

    kind: str  # entry, heading, front, block, line, blank
    text: str  # its lines without the last ending, the others as `\\n`
    name: str  # what it keeps when its text changes: an entry's id, a key of front matter; empty for none
    words: str  # what an entry or a heading says, without marker
    first: int  # its lines in the document
    last: int
    depth: int = 0  # how many entries enclose it
    end: int = -1  # of an entry: its last line with all that is nested in it


def read_units(document: Document) -> tuple[Unit, ...]:
    """Take a document apart; every line is in one unit."""
    count = len(document.lines) if document.text else 0
    firsts = [line for line, first in enumerate(_owners(document)[:count]) if line == first]
    facts, depths = dict(_facts(document)), _depths(document)
    ends = {entry.line: entry.last_line for entry in reversed(document.entries)}
    units = (_unit(document, first, after - 1, facts) for first, after in pairwise([*firsts, count]))
    return tuple(unit._replace(depth=depths[unit.first], end=ends.get(unit.first, -1)) for unit in units)


def _depths(document: Document) -> list[int]:
    """Count for each line the entries that enclose it and begin above."""
    steps = [0] * (len(document.lines) + 2)
    for entry in document.entries:
        steps[entry.line + 1] += 1
        steps[entry.last_line + 1] -= 1
    return list(accumulate(steps))


def _owners(document: Document) -> list[int]:
    """Give for each line the first line of what it belongs to."""
    owners = list(range(len(document.lines) + 1))

    def claim(first: int, last: int) -> None:
        owners[first + 1 : last + 1] = [owners[first]] * (last - first)

    for entry in document.entries:
        claim(entry.line, document.lines.at(entry.text_span.end))
    for block in document.blocks:
        if block.kind in _WHOLE or (block.kind == "heading" and not block.depth):
            claim(block.line, block.last_line)
    for first, after in pairwise([*_keys(document)]):
        claim(first, after - 1)
    return owners


def _keys(document: Document) -> Iterator[int]:
    """Give the lines on which the keys of front matter begin, then the line behind the last value."""
    if front := document.front_matter:
        first, end = document.lines.at(front.yaml.start), document.lines.at(front.yaml.end)
        yield from (line for line in range(first, end) if _KEY.match(document.lines.text(line)))
        yield end


def _facts(document: Document) -> Iterator[tuple[int, tuple[str, str, str]]]:
    """Give kind, name and words of the units that have them, by their first line; the outer of two comes last."""
    lines = document.lines
    for block in document.blocks:
        if block.kind in _WHOLE:
            yield block.line, ("block", "", "")
    for section in document.sections:
        yield lines.at(section.heading.start), ("heading", "", section.title)
    for entry in reversed(document.entries):
        yield entry.line, ("entry", f"^{entry.parts.id}" if entry.parts.id else "", entry.text)
    if document.front_matter:
        for line in range(lines.at(document.front_matter.span.end - 1) + 1):
            key = _KEY.match(lines.text(line))
            yield line, ("front", key.group(1) if key else "", "")


def _unit(document: Document, first: int, last: int, facts: dict[int, tuple[str, str, str]]) -> Unit:
    lines = document.lines
    bom = document.text.startswith("\ufeff") and first == 0
    raw = document.text[lines.start(first) + bom : lines.end(last)]
    kind, name, words = facts.get(first, ("line", "", "") if raw.strip() else ("blank", "", ""))
    return Unit(kind, LINE_END.sub("\n", raw) if kind != "blank" else "", name, words, first, last)
