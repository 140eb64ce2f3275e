"""Verifies that a change affects only the text of its edits (laws 1 and 2).

Every line outside the edits must keep its kind: entry, heading, code, HTML, front matter or plain text. Every line that
an edit adds must have the kind that it has on its own: a bullet below an open fence would be code.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mdmem.text.document import Document, LineKinds, name_kinds
from mdmem.text.edit import Edit, apply_edits, ordered


def verify(before: Document, edits: Sequence[Edit], after: Document) -> tuple[str, ...]:
    """Return the violations of a change; an empty tuple means that it is verified."""
    return tuple(violations(before, edits, after))


def violations(before: Document, edits: Sequence[Edit], after: Document) -> Iterator[str]:
    """Yield the violations of a change, for callers that need only the first."""
    done = ordered(edits)
    if after.text != apply_edits(before.text, done):
        yield "the new text is not what the edits make of the old one"
        return
    verification = _Verification(before, after, _ranges(done))
    yield from verification.violations_outside()
    yield from verification.violations_inside()


class _EditRange(NamedTuple):
    """The span of an edit before and after the change."""

    start: int
    end: int
    new_start: int
    new_end: int


def _ranges(edits: Sequence[Edit]) -> list[_EditRange]:
    """Return the ranges of ordered edits; adjacent edits are one range."""
    found: list[_EditRange] = []
    moved = 0
    for edit in edits:
        start, new_start = edit.span.start, edit.span.start + moved
        if found and found[-1].end == start:
            start, _, new_start, _ = found.pop()
        moved += len(edit.new) - (edit.span.end - edit.span.start)
        found.append(_EditRange(start, edit.span.end, new_start, edit.span.end + moved))
    return found


class _Verification:
    """Compares a document before and after a change."""

    def __init__(self, before: Document, after: Document, ranges: Sequence[_EditRange]) -> None:
        self.before, self.after, self.ranges = before, after, ranges
        self.was, self.now = before.line_kinds, after.line_kinds

    def violations_outside(self) -> Iterator[str]:
        """Yield the lines outside every edit whose kind changes."""
        lines, first = self.before.lines, 0
        touched = sorted({line for edited in self.ranges for line in self._touched(edited)})
        for edited, move in zip((*self.ranges, None), self._moves(), strict=True):
            # lines that begin before the end of an edit are shifted by the edits before it
            at = lines.at(edited.end) if edited else len(lines)
            stop = at + 1 if edited and lines.start(at) < edited.end else at
            for begin, end in _gaps(first, stop, touched):
                yield from self._moved(begin, end, move)
            first = max(first, stop)

    def _moves(self) -> list[int]:
        return [0, *(edited.new_end - edited.end for edited in self.ranges)]

    def _moved(self, first: int, stop: int, move: int) -> Iterator[str]:
        """Yield the lines of a range, shifted as a whole, whose kind changes."""
        if first >= stop:
            return
        lines, new = self.before.lines, self.after.lines.at(self.before.lines.start(first) + move)
        was, now, behind = self.was, self.now, new + stop - first
        if was.kinds[first:stop] == now.kinds[new:behind] and was.depths[first:stop] == now.depths[new:behind]:
            return
        for line in range(first, stop):
            if lines.is_blank(line):
                continue
            at = line + new - first
            if was.kinds[line] != now.kinds[at]:
                yield f"line {line + 1}: {name_kinds(was.kinds[line])} would become {name_kinds(now.kinds[at])}"
            elif now.depths[at] > was.depths[line]:
                yield f"line {line + 1}: an entry would become part of the one above it"

    def _touched(self, edited: _EditRange) -> Iterator[int]:
        """Yield the lines that an edit changes; not a line that stays complete, including its ending."""
        lines, text = self.before.lines, self.after.text
        first, last = lines.at(edited.start), lines.at(edited.end)
        begins = text[edited.new_start : edited.new_start + 1]
        ends = text[max(0, edited.new_end - 1) : edited.new_end]
        for line in range(first, last + 1):
            above = line == first and edited.start == lines.end(first) and begins in ("", "\n", "\r")
            below = line == last and edited.end == lines.start(last) and ends in ("", "\n", "\r")
            if not above and not below:
                yield line

    def violations_inside(self) -> Iterator[str]:
        """Yield the added lines that do not have the kind they have on their own."""
        lines = self.after.lines
        for edited in self.ranges:
            first = lines.at(edited.new_start)
            first += lines.start(first) < edited.new_start
            last = lines.at(edited.new_end)
            last -= lines.end(last) > edited.new_end
            if first > last or edited.new_start == edited.new_end:
                continue
            alone = LineKinds(Document(self._bytes(first, last)))
            allowed = self._around(edited)
            for line in range(first, last + 1):
                wanted, now = alone.kinds[line - first], self.now.kinds[line]
                if not lines.is_blank(line) and now not in (wanted, *allowed):
                    yield f"line {line + 1}: what is added as {name_kinds(wanted)} would be {name_kinds(now)}"

    def _bytes(self, first: int, last: int) -> bytes:
        return self.after.lines.full(first, last).of(self.after.text).encode("utf-8", "surrogateescape")

    def _around(self, edited: _EditRange) -> set[int]:
        """Return other kinds that new lines may have: those of the lines they replace, or of the block around them."""
        lines = self.before.lines
        first, last = lines.at(edited.start), lines.at(edited.end)
        if edited.start < edited.end:
            return {self.was.kinds[line] for line in range(first, last + 1) if not lines.is_blank(line)}
        above = first - (edited.start == lines.start(first))
        below = first + (edited.start == lines.end(first) and edited.start > lines.start(first))
        inside = above >= 0 and self.was.blocks[above] == self.was.blocks[below] >= 0
        return {self.was.kinds[below]} if inside else set()


def _gaps(first: int, stop: int, touched: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return the runs of lines in a range that no edit touches."""
    at = bisect_left(touched, first)
    while first < stop:
        end = min(touched[at] if at < len(touched) else stop, stop)
        if first < end:
            yield first, end
        first, at = end + 1, at + 1
