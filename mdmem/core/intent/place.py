"""Where new entries go, and in which hand they are written: the file's own.

Entries go below the last one of their section, above whatever closes it (a rule, a line in italics, a comment). Where
they would be swallowed there (an open fence, an HTML block, a lazy paragraph), blank lines are tried, then the places
above; what stands as entries of the section is proved, and what cannot stand is refused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise

from mdmem.core.document import Document, Entry, Section, parse
from mdmem.core.edit import Edit, apply_edits
from mdmem.core.record import NamedTuple
from mdmem.core.text import Span
from mdmem.core.verify import wrong
from mdmem.errors import VerificationError

_TRIES = 24  # proofs for one change; the first holds for almost every file


class Region(NamedTuple):
    """Where the entries of a section stand, or all entries of a file."""

    span: Span
    entries: tuple[Entry, ...]  # the outermost ones that no generator wrote
    heading: Span | None


def region(document: Document, section: Section | None) -> Region:
    """Give the region of a section; of the whole file for None."""
    entries = section.entries if section else document.entries
    autos = [auto.span for auto in document.auto_blocks]
    own = tuple(one for one in entries if not one.depth and not any(auto.holds(one.marker) for auto in autos))
    if section:
        return Region(section.body, own, section.heading)
    return Region(Span(document.start, len(document.text)), own, None)


def append(document: Document, where: Region, texts: Sequence[str]) -> Edit:
    """Make the insertion that puts entries at the end of a region.

    Raises:
        VerificationError: there is no place where they would stand as entries of that section.
    """
    tries = (edit for line in _lines(document, where) for edit in _below(document, line, where, texts))
    for edit in islice(tries, _TRIES):
        if stands(document, edit, texts, where.heading.start if where.heading else None):
            return edit
    raise VerificationError(
        "there is no place where the text would stand as an entry of its section",
        hint="something there takes it in: close the code fence, comment or HTML block above",
    )


def stands(document: Document, edit: Edit, texts: Sequence[str], heading: int | None) -> bool:
    """Prove that an insertion adds these entries, outermost, below the heading that begins at an offset."""
    after = changed(document, (edit,))
    if next(wrong(document, (edit,), after), None):
        return False
    new = Span(edit.span.start, edit.span.start + len(edit.new))
    found = [one for one in after.entries if new.holds(one.marker)]
    starts = [section.heading.start for section in after.sections]
    owners = {starts[at - 1] if (at := bisect_right(starts, one.marker.start)) else None for one in found}
    ours = heading is None or not owners - {heading}
    return ours and [(one.text, one.depth) for one in found] == [(text, 0) for text in texts]


def changed(document: Document, edits: Sequence[Edit]) -> Document:
    """Give the document that edits make."""
    return parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))


def insertion(document: Document, line: int, rows: Sequence[str], *, above: bool, under: bool) -> Edit:
    """Make the edit that puts lines below a line (-1: at the top), with blank lines around them or not."""
    lines, ending = document.lines, document.lines.ending
    follows = line + 1 < len(lines) and not lines.is_blank(line + 1)
    body = ending.join(rows) + ending * (under and follows)
    if line < 0:
        return Edit.insert(document.start, body + ending * (document.start < len(document.text)))
    return Edit.insert(lines.end(line), ending * (above and not lines.is_blank(line)) + ending + body)


def rows(
    document: Document, where: Region, texts: Sequence[str], behind: Entry | None, *, onward: int = 1
) -> list[str]:
    """Write entries in the hand of the one they follow, else of the file's first bullet; numbers count onward."""
    if behind is None:
        bullets = (one.marker.of(document.text) for one in document.entries if not one.ordered)
        marker = next(bullets, "-")
        return [f"{marker} {text}" for text in texts]
    text, start = document.text, document.lines.start(behind.line)
    lead, marker = text[start : behind.marker.start], behind.marker.of(text)
    pad = text[behind.marker.end : behind.text_span.start]
    lead = lead if not lead.strip(" ") else ""
    pad = pad if pad and len(pad) <= 4 and not pad.strip(" \t") else " "
    markers = (
        _numbers(document, where, marker, range(onward, onward + len(texts)))
        if behind.ordered
        else [marker] * len(texts)
    )
    return [f"{lead}{marker}{pad}{text}" for marker, text in zip(markers, texts, strict=True)]


def _numbers(document: Document, where: Region, last: str, places: range) -> list[str]:
    """Count on from the last number; where all items bear one number, so do the new ones."""
    markers = [one.marker.of(document.text) for one in where.entries[-2:]]
    step = 0 if markers == [last, last] else 1
    first = int(last[:-1])
    return [f"{min(first + step * place, 999_999_999)}{last[-1]}" for place in places]


def _lines(document: Document, where: Region) -> Iterator[int]:
    """Give the lines below which the entries may go, the best first."""
    autos = [auto.span for auto in document.auto_blocks]
    if where.entries:
        yield where.entries[-1].last_line
    ends = []
    for block in document.blocks:
        if where.span.start <= block.span.start < where.span.end and not block.depth:
            if block.kind == "rule" and not block.quoted:
                break
            if not any(auto.start < block.span.end < auto.end for auto in autos):
                ends.append(block.last_line)
    yield from dict.fromkeys(reversed(ends))
    yield document.lines.at(where.heading.end) if where.heading else document.lines.at(document.start) - 1


def _below(document: Document, line: int, where: Region, texts: Sequence[str]) -> Iterator[Edit]:
    """Give the insertions below one line: as the neighbours stand, then with blank lines around it."""
    behind = where.entries[-1] if where.entries and where.entries[-1].last_line == line else None
    loose = is_loose(document, where)
    new = spread(rows(document, where, texts, behind), loose=loose)
    wide = loose or behind is None
    ways = ((wide, wide), (True, wide), (wide, True), (True, True))
    edits = [insertion(document, line, new, above=above, under=under) for above, under in ways]
    yield from dict.fromkeys(edits)


def is_loose(document: Document, where: Region) -> bool:
    """Tell whether blank lines stand between the entries."""
    return any(document.lines.is_blank(after.line - 1) for _, after in pairwise(where.entries))


def spread(new: Sequence[str], *, loose: bool) -> list[str]:
    """Put blank lines between rows, where the others have them."""
    return [row for one in new for row in (one, "")][:-1] if loose else list(new)
