"""The proof that a change does what it names and nothing else (laws 1 and 2).

Every line that no edit touches must stay what it was: an entry, a heading, code, HTML, front matter or plain text.
And every line that an edit adds must be what it would be alone: a bullet below an open fence is code, and not meant.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from mdmem.text.document import Document, LineKinds, name_kinds, parse
from mdmem.text.edit import Edit, apply_edits, ordered


def verify(before: Document, edits: Sequence[Edit], after: Document) -> tuple[str, ...]:
    """List what is wrong with a change; an empty tuple is the proof."""
    return tuple(violations(before, edits, after))


def violations(before: Document, edits: Sequence[Edit], after: Document) -> Iterator[str]:
    """Find what is wrong with a change, one after the other, for those who need to know only whether."""
    done = ordered(edits)
    if after.text != apply_edits(before.text, done):
        yield "the new text is not what the edits make of the old one"
        return
    proof = _Proof(before, after, _places(done))
    yield from proof.kept()
    yield from proof.meant()


class _EditRange(NamedTuple):
    """Where an edit stands before and after."""

    start: int
    end: int
    new_start: int
    new_end: int


def _places(edits: Sequence[Edit]) -> list[_EditRange]:
    """Give the places of ordered edits; edits side by side are one change."""
    found: list[_EditRange] = []
    moved = 0
    for edit in edits:
        start, new_start = edit.span.start, edit.span.start + moved
        if found and found[-1].end == start:
            start, _, new_start, _ = found.pop()
        moved += len(edit.new) - (edit.span.end - edit.span.start)
        found.append(_EditRange(start, edit.span.end, new_start, edit.span.end + moved))
    return found


class _Proof:
    """One change, looked at from both sides."""

    def __init__(self, before: Document, after: Document, places: Sequence[_EditRange]) -> None:
        self.before, self.after, self.places = before, after, places
        self.was, self.now = before.line_kinds, after.line_kinds

    def kept(self) -> Iterator[str]:
        """Find the lines outside every edit that become something else."""
        lines, first = self.before.lines, 0
        touched = sorted({line for place in self.places for line in self._touched(place)})
        for place, move in zip((*self.places, None), self._moves(), strict=True):
            # lines that begin before an edit ends are moved by the edits before it
            at = lines.at(place.end) if place else len(lines)
            stop = at + 1 if place and lines.start(at) < place.end else at
            for begin, end in _gaps(first, stop, touched):
                yield from self._moved(begin, end, move)
            first = max(first, stop)

    def _moves(self) -> list[int]:
        return [0, *(place.new_end - place.end for place in self.places)]

    def _moved(self, first: int, stop: int, move: int) -> Iterator[str]:
        """Find the lines of a range, moved as a whole, that become something else."""
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

    def _touched(self, place: _EditRange) -> Iterator[int]:
        """Give the lines that an edit changes; a line that it leaves whole, ending for ending, is not one."""
        lines, text = self.before.lines, self.after.text
        first, last = lines.at(place.start), lines.at(place.end)
        begins = text[place.new_start : place.new_start + 1]
        ends = text[max(0, place.new_end - 1) : place.new_end]
        for line in range(first, last + 1):
            above = line == first and place.start == lines.end(first) and begins in ("", "\n", "\r")
            below = line == last and place.end == lines.start(last) and ends in ("", "\n", "\r")
            if not above and not below:
                yield line

    def meant(self) -> Iterator[str]:
        """Find whole lines that an edit adds and that would not be what they say."""
        lines = self.after.lines
        for place in self.places:
            first = lines.at(place.new_start)
            first += lines.start(first) < place.new_start
            last = lines.at(place.new_end)
            last -= lines.end(last) > place.new_end
            if first > last or place.new_start == place.new_end:
                continue
            alone = LineKinds(parse(self._bytes(first, last)))
            welcome = self._around(place)
            for line in range(first, last + 1):
                wanted, now = alone.kinds[line - first], self.now.kinds[line]
                if not lines.is_blank(line) and now not in (wanted, *welcome):
                    yield f"line {line + 1}: what is added as {name_kinds(wanted)} would be {name_kinds(now)}"

    def _bytes(self, first: int, last: int) -> bytes:
        return self.after.lines.full(first, last).of(self.after.text).encode("utf-8", "surrogateescape")

    def _around(self, place: _EditRange) -> set[int]:
        """Give the kinds that new lines may take from their place: the lines they replace, the block they stand in."""
        lines = self.before.lines
        first, last = lines.at(place.start), lines.at(place.end)
        if place.start < place.end:
            return {self.was.kinds[line] for line in range(first, last + 1) if not lines.is_blank(line)}
        above = first - (place.start == lines.start(first))
        below = first + (place.start == lines.end(first) and place.start > lines.start(first))
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
