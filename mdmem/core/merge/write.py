"""The edits that make the merged file of theirs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from mdmem.core.document import Document
from mdmem.core.edit import Edit
from mdmem.core.merge.align import equal
from mdmem.core.merge.combine import Piece
from mdmem.core.merge.units import Unit
from mdmem.core.text import Span


def written(theirs: Document, pieces: Sequence[Piece]) -> Iterator[Edit]:
    """Make the edits that leave the kept pieces where they are, drop the other units, and put the new ones between."""
    ending = theirs.lines.ending
    before: Unit | None = None
    new: list[str] = []
    for piece in (*pieces, None):
        if piece and not piece.kept:
            new.append(piece.unit.text.replace("\n", ending))
            continue
        edit = _between(theirs, before, piece.unit if piece else None, new, ending)
        if edit.new or edit.span.start < edit.span.end:
            yield edit
        before, new = piece.unit if piece else None, []


def _between(theirs: Document, before: Unit | None, behind: Unit | None, new: Sequence[str], ending: str) -> Edit:
    """Make the edit that puts new units between two that stay; None for the ends of the file."""
    lines, text = theirs.lines, theirs.text
    start = lines.full(before.last).end if before else int(text.startswith("\ufeff"))
    if before and not behind and not text.endswith(("\n", "\r")):  # the file keeps ending as it did
        return Edit.replace(lines.end(before.last), len(text), "".join(ending + one for one in new))
    stop = max(start, lines.start(behind.first)) if behind else len(text)
    return Edit.replace(start, stop, "".join(one + ending for one in new))


def rewritten(theirs: Document, ours: Document) -> tuple[Edit, ...]:
    """Make the edits that turn one text into another, line by line, byte for byte."""
    yours, mine = ([document.lines.full(line) for line in range(len(document.lines))] for document in (theirs, ours))
    before, after = [span.of(theirs.text) for span in yours], [span.of(ours.text) for span in mine]
    pairs = [(-1, -1), *equal(before, after), (len(before), len(after))]
    edits = []
    for (low, start), (high, stop) in pairwise(pairs):
        place = yours[low].end if low >= 0 else 0
        gone = "".join(before[low + 1 : high])
        new = "".join(after[start + 1 : stop])
        if gone or new:
            edits.append(Edit(Span(place, place + len(gone)), new))
    return tuple(edits)
