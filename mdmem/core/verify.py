"""The proof that a change does what it names and nothing else (laws 1 and 2).

Every line that no edit touches must stay what it was: an entry, a heading, code, HTML, front matter or plain text.
And every line that an edit adds must be what it would be alone: a bullet below an open fence is code, and not meant.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from mdmem.core.document import Document, parse
from mdmem.core.edit import Edit, apply_edits, ordered
from mdmem.core.record import NamedTuple

_ENTRY, _MORE, _HEADING, _CODE, _HTML, _FRONT = 1, 2, 4, 8, 16, 32
_NAMES = {
    _FRONT: "front matter", _HTML: "HTML", _CODE: "code", _HEADING: "a heading", _ENTRY: "an entry",
    _MORE: "part of an entry",
}  # fmt: skip
_BLOCKS = {"fence": _CODE, "code": _CODE, "html": _HTML, "heading": _HEADING}


def verify(before: Document, edits: Sequence[Edit], after: Document) -> tuple[str, ...]:
    """List what is wrong with a change; an empty tuple is the proof."""
    return tuple(wrong(before, edits, after))


def wrong(before: Document, edits: Sequence[Edit], after: Document) -> Iterator[str]:
    """Find what is wrong with a change, one after the other, for those who need to know only whether."""
    done = ordered(edits)
    if after.text != apply_edits(before.text, done):
        yield "the new text is not what the edits make of the old one"
        return
    proof = _Proof(before, after, _places(done))
    yield from proof.kept()
    yield from proof.meant()


class _Place(NamedTuple):
    """Where an edit stands before and after."""

    start: int
    end: int
    new_start: int
    new_end: int


def _places(edits: Sequence[Edit]) -> list[_Place]:
    """Give the places of ordered edits; edits side by side are one change."""
    found: list[_Place] = []
    moved = 0
    for edit in edits:
        start, new_start = edit.span.start, edit.span.start + moved
        if found and found[-1].end == start:
            start, _, new_start, _ = found.pop()
        moved += len(edit.new) - (edit.span.end - edit.span.start)
        found.append(_Place(start, edit.span.end, new_start, edit.span.end + moved))
    return found


class _Lines:
    """What the lines of a document are."""

    def __init__(self, document: Document) -> None:
        # one line more than there are: behind a final line ending begins a line that is nothing yet
        self.kinds = [0] * (len(document.lines) + 1)  # several bits: an item may begin with code
        self.blocks = [-1] * len(self.kinds)  # which block makes a line code, HTML or front matter
        self.depths: dict[int, int] = {}  # of entries
        for entry in document.entries:
            self._mark(_MORE, entry.line + 1, document.lines.at(entry.text_span.end))
            self._mark(_ENTRY, entry.line, entry.line)
            self.depths[entry.line] = entry.depth
        for index, block in enumerate(document.blocks):
            if kind := _BLOCKS.get(block.kind, 0):
                self._mark(kind, block.line, block.last_line, index)
        for section in document.sections:
            line = document.lines.at(section.heading.start)
            self._mark(_HEADING, line, line)
        if document.front_matter:
            self._mark(_FRONT, 0, document.lines.at(document.front_matter.yaml.end), len(document.blocks))

    def _mark(self, kind: int, first: int, last: int, block: int = -1) -> None:
        for line in range(first, last + 1):
            self.kinds[line] |= kind
            self.blocks[line] = block


class _Proof:
    """One change, looked at from both sides."""

    def __init__(self, before: Document, after: Document, places: Sequence[_Place]) -> None:
        self.before, self.after, self.places = before, after, places
        self.was, self.now = _Lines(before), _Lines(after)

    def kept(self) -> Iterator[str]:
        """Find the lines outside every edit that become something else."""
        touched = {line for place in self.places for line in self._touched(place)}
        ends = [place.end for place in self.places]
        moves = [0, *(place.new_end - place.end for place in self.places)]
        for line in range(len(self.before.lines)):
            if line in touched or self.before.lines.is_blank(line):
                continue
            start = self.before.lines.start(line)
            new = self.after.lines.at(start + moves[bisect_right(ends, start)])
            was, now = self.was.kinds[line], self.now.kinds[new]
            if was != now:
                yield f"line {line + 1}: {_name(was)} would become {_name(now)}"
            elif self.now.depths.get(new, 0) > self.was.depths.get(line, 0):
                yield f"line {line + 1}: an entry would become part of the one above it"

    def _touched(self, place: _Place) -> Iterator[int]:
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
            alone = _Lines(parse(self._bytes(first, last)))
            welcome = self._around(place)
            for line in range(first, last + 1):
                wanted, now = alone.kinds[line - first], self.now.kinds[line]
                if not lines.is_blank(line) and now not in (wanted, *welcome):
                    yield f"line {line + 1}: what is added as {_name(wanted)} would be {_name(now)}"

    def _bytes(self, first: int, last: int) -> bytes:
        return self.after.lines.full(first, last).of(self.after.text).encode("utf-8", "surrogateescape")

    def _around(self, place: _Place) -> set[int]:
        """Give the kinds that new lines may take from their place: the lines they replace, the block they stand in."""
        lines = self.before.lines
        first, last = lines.at(place.start), lines.at(place.end)
        if place.start < place.end:
            return {self.was.kinds[line] for line in range(first, last + 1) if not lines.is_blank(line)}
        above = first - (place.start == lines.start(first))
        below = first + (place.start == lines.end(first) and place.start > lines.start(first))
        inside = above >= 0 and self.was.blocks[above] == self.was.blocks[below] >= 0
        return {self.was.kinds[below]} if inside else set()


def _name(kinds: int) -> str:
    return next((name for bit, name in _NAMES.items() if kinds & bit), "text")
