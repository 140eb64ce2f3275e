"""Three-way merge of documents by units: entries, keys of front matter, closed blocks and single lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.merge_units import MergeUnit, align, equal, read_units
from mdmem.text.spans import Span
from mdmem.text.verify import violations

_BLANK = MergeUnit("blank", "", "", "", -1, -1)


class MergedUnit(NamedTuple):
    """A unit of the result: an unmoved unit of theirs, or a new one."""

    unit: MergeUnit
    kept: bool


def combine(theirs: Sequence[MergeUnit], ours: Sequence[MergeUnit]) -> list[MergedUnit]:
    """Combine the insertions of both sides at one position, section by section: theirs first, then ours, each once."""
    rest = _split(ours)
    pieces: list[MergedUnit] = []
    for title, units in _split(theirs):
        same = next((part for part in rest if part[0] == title), (title, []))
        rest = [part for part in rest if part is not same]
        pieces += _join(units, same[1][title is not None :])
    for _, units in rest:
        if theirs and pieces[-1].unit.kind != "blank":
            pieces.append(MergedUnit(_BLANK, kept=False))
        pieces += [MergedUnit(unit, kept=False) for unit in units]
    return pieces


def _split(units: Sequence[MergeUnit]) -> list[tuple[str | None, list[MergeUnit]]]:
    """Split units at their headings; the first part precedes any heading and may be empty."""
    parts: list[tuple[str | None, list[MergeUnit]]] = [(None, [])]
    for unit in units:
        if unit.kind == "heading":
            parts.append((unit.words, []))
        parts[-1][1].append(unit)
    return parts


def _join(theirs: Sequence[MergeUnit], ours: Sequence[MergeUnit]) -> Iterator[MergedUnit]:
    """Append our units to theirs, before their trailing blank lines."""
    known = {unit.text for unit in theirs if any(map(str.isalnum, unit.text))}
    fresh = [unit for unit in ours if unit.kind == "entry" or unit.text not in known]
    if theirs and all(unit.kind == "blank" for unit in fresh):
        fresh = []
    end = len(theirs)
    while fresh and end and theirs[end - 1].kind == "blank":
        end -= 1
    yield from (MergedUnit(unit, kept=True) for unit in theirs[:end])
    if fresh and end:
        if fresh[0].kind == "blank" and theirs[end - 1].kind == "entry":
            first = next(at for at, unit in enumerate(fresh) if unit.kind != "blank")
            fresh = fresh[first:] if fresh[first].kind == "entry" else fresh
        elif {fresh[0].kind, theirs[end - 1].kind} not in ({"entry"}, {"front"}) and fresh[0].kind != "blank":
            yield MergedUnit(_BLANK, kept=False)
    yield from (MergedUnit(unit, kept=False) for unit in fresh)
    yield from (MergedUnit(unit, kept=True) for unit in theirs[end:])


class MergeClash(NamedTuple):
    """Units that both sides changed differently; theirs stay unchanged."""

    base: tuple[MergeUnit, ...]
    ours: tuple[MergeUnit, ...]
    theirs: tuple[MergeUnit, ...]
    line: int  # of theirs, at which it is or was


class MergeSide:
    """One side's change: the new version of each unit of the base, and the units inserted before each."""

    def __init__(self, base: Sequence[MergeUnit], units: Sequence[MergeUnit]) -> None:
        self.base = base
        to = align(base, units)
        self.became = [units[to[index]] if index in to else None for index in range(len(base))]
        # new units follow the last unit that was kept; slot 0 precedes the base
        self.slots: list[list[MergeUnit]] = [[] for _ in range(len(base) + 1)]
        come_from = {at: index for index, at in to.items()}
        self.added: list[tuple[str, MergeUnit]] = []  # with the section of each
        self.removed = {base[index].text for index in range(len(base)) if index not in to}
        self.entry_texts = {unit.text for unit in units if unit.kind == "entry"}
        slot, section = 0, ""
        for at, unit in enumerate(units):
            section = unit.words if unit.kind == "heading" else section
            if at in come_from:
                slot = come_from[at] + 1
            else:
                self.slots[slot].append(unit)
                self.added.append((section, unit))

    def same(self, index: int) -> bool:
        """Return whether a unit of the base is unchanged."""
        unit = self.became[index]
        return unit is not None and unit.text == self.base[index].text

    def body(self, low: int, high: int) -> tuple[MergeUnit, ...]:
        """Return the new version of a range of the base, with the units inserted after each."""
        pairs = zip(self.became[low:high], self.slots[low + 1 : high + 1], strict=True)
        return tuple(one for unit, slot in pairs for one in ([unit, *slot] if unit else slot))

    def dropped(self, low: int, high: int) -> bool:
        """Return whether a range of the base was removed."""
        return all(self.became[index] is None or self.base[index].kind == "blank" for index in range(low, high))

    def wrote(self, low: int, high: int) -> bool:
        """Return whether units of an entry or a section, a range of the base, were inserted or changed."""
        new = [unit for slot in self.slots[low + 1 : high] for unit in slot] + self.slots[high][
            : self.inside(low, high)
        ]
        changed = any(self.became[index] and not self.same(index) for index in range(low, high))
        return changed or any(unit.kind != "blank" for unit in new)

    def inside(self, low: int, high: int) -> int:
        """Count the units inserted after a range that belong to its first unit: an entry or a section heading."""
        one, slot = self.base[low], self.slots[high]
        ends = (unit.kind == "heading" if one.kind == "heading" else unit.depth <= one.depth for unit in slot)
        return next((at for at, end in enumerate(ends) if end), len(slot))


class ThreeWayMerge:
    """A merge of three versions; `pieces` is the result in order, `clashes` are the conflicts.

    If both sides changed units between two unchanged ones, each unit is merged separately; with `careful` the whole
    range is a clash.
    """

    def __init__(
        self, base: Sequence[MergeUnit], ours: Sequence[MergeUnit], theirs: Sequence[MergeUnit], *, careful: bool
    ) -> None:
        self.base, self.careful = base, careful
        self.ours, self.theirs = MergeSide(base, ours), MergeSide(base, theirs)
        self.named = {unit.name: unit for _, unit in self.theirs.added if unit.name}
        self.known = Counter((section, unit.text) for section, unit in self.theirs.added if unit.kind == "entry")
        self.sections = {unit.first: section for section, unit in self.ours.added}
        self.line = 0
        self.clashes: list[MergeClash] = []
        self.pieces = list(self._merge())

    def _merge(self) -> Iterator[MergedUnit]:
        low = 0
        for index in range(len(self.base) + 1):
            if index < len(self.base) and not (self.ours.same(index) and self.theirs.same(index)):
                continue
            yield from self._hunk(low, index)
            if index < len(self.base):
                yield from self._one(index)
            low = index + 1

    def _hunk(self, low: int, high: int) -> Iterator[MergedUnit]:
        """Merge the units between two that both sides left unchanged."""
        ours = (*self.ours.slots[low], *self.ours.body(low, high))
        theirs = (*self.theirs.slots[low], *self.theirs.body(low, high))
        old, our_texts, their_texts = ([unit.text for unit in units] for units in (self.base[low:high], ours, theirs))
        if our_texts == their_texts:
            yield from _kept(theirs)
        elif self.careful and old not in (our_texts, their_texts):
            yield from self._clash(low, high, ours, theirs)
        else:
            yield from self._each(low, high)

    def _each(self, low: int, high: int) -> Iterator[MergedUnit]:
        """Merge unit by unit; an entry or section that one side removed and the other wrote to is a clash."""
        yield from combine(self.theirs.slots[low], self._fresh(self.ours.slots[low]))
        index = low
        while index < high:
            end = self._contested(index, high)
            if end:
                rest = self.ours.slots[end][self.ours.inside(index, end) :]
                body = self.ours.body(index, end)
                yield from self._clash(index, end, body[: len(body) - len(rest)], self.theirs.body(index, end))
                yield from combine([], self._fresh(rest))
                index = end
            else:
                yield from self._one(index, spaced=self._spaces(index, high))
                index += 1
                yield from combine(self.theirs.slots[index], self._fresh(self.ours.slots[index]))

    def _contested(self, index: int, high: int) -> int:
        """Return the end of an entry or section that one side removed and the other wrote to; 0 if there is none."""
        one, following = self.base[index], range(index + 1, high)
        if one.kind == "heading":
            end = next((at for at in following if self.base[at].kind == "heading"), high)
        elif one.kind == "entry":
            end = next((at for at in following if self.base[at].first > one.end), high)
        else:
            return 0
        sides = ((self.ours, self.theirs), (self.theirs, self.ours))
        return end if any(one.dropped(index, end) and other.wrote(index, end) for one, other in sides) else 0

    def _spaces(self, index: int, high: int) -> bool:
        """Return whether a unit is a blank line above a contested entry or section, which is kept."""
        blank = self.base[index].kind == "blank" and index + 1 < high
        return blank and self._contested(index + 1, high) > 0

    def _one(self, index: int, *, spaced: bool = False) -> Iterator[MergedUnit]:
        """Merge the two versions of one unit of the base."""
        ours, theirs = self.ours.became[index], self.theirs.became[index]
        if theirs:
            self.line = theirs.first
        if spaced or self.ours.same(index) or (ours and theirs and ours.text == theirs.text):
            yield from _kept([theirs])
        elif self.theirs.same(index):
            if ours:
                yield MergedUnit(ours, kept=False)
            elif self._last(self.base[index].text):
                yield from _kept([theirs])
        elif ours or theirs:
            yield from self._clash(index, index + 1, [ours], [theirs])

    def _clash(
        self, low: int, high: int, ours: Sequence[MergeUnit | None], theirs: Sequence[MergeUnit | None]
    ) -> Iterator[MergedUnit]:
        our_units, their_units = (tuple(unit for unit in units if unit) for units in (ours, theirs))
        line = their_units[0].first if their_units else self.line
        self.clashes.append(MergeClash(tuple(self.base[low:high]), our_units, their_units, line))
        yield from _kept(their_units)

    def _fresh(self, units: Sequence[MergeUnit]) -> list[MergeUnit]:
        """Return the units that theirs did not add too; different units with one name are a clash."""
        found = []
        for unit in units:
            key = (self.sections.get(unit.first, ""), unit.text)
            other = self.named.get(unit.name) if unit.name else None
            if other and other.text != unit.text:
                self.clashes.append(MergeClash((), (unit,), (other,), other.first))
            elif unit.kind == "entry" and self.known[key] and self._alike(unit.text):
                self.known[key] -= 1
            elif not other:
                found.append(unit)
        return found

    def _last(self, text: str) -> bool:
        """Return whether ours removed one copy of an entry and theirs another: both kept one."""
        return text in self.ours.entry_texts and text in self.theirs.removed

    def _alike(self, text: str) -> bool:
        """Return whether both sides moved a text, or neither."""
        return (text in self.ours.removed) is (text in self.theirs.removed)


def _kept(units: Sequence[MergeUnit | None]) -> Iterator[MergedUnit]:
    return (MergedUnit(unit, kept=True) for unit in units if unit)


def written(theirs: Document, pieces: Sequence[MergedUnit]) -> Iterator[Edit]:
    """Yield the edits that keep unmoved pieces, remove other units, and insert new ones between them."""
    ending = theirs.lines.ending
    before: MergeUnit | None = None
    new: list[str] = []
    for piece in (*pieces, None):
        if piece and not piece.kept:
            new.append(piece.unit.text.replace("\n", ending))
            continue
        edit = _between(theirs, before, piece.unit if piece else None, new, ending)
        if edit.new or edit.span.start < edit.span.end:
            yield edit
        before, new = piece.unit if piece else None, []


def _between(
    theirs: Document, before: MergeUnit | None, behind: MergeUnit | None, new: Sequence[str], ending: str
) -> Edit:
    """Return the edit that inserts new units between two kept ones; None for the ends of the file."""
    lines, text = theirs.lines, theirs.text
    start = lines.full(before.last).end if before else int(text.startswith("\ufeff"))
    if before and not behind and not text.endswith(("\n", "\r")):  # the end of the file keeps its form
        return Edit.replace(lines.end(before.last), len(text), "".join(ending + one for one in new))
    stop = max(start, lines.start(behind.first)) if behind else len(text)
    return Edit.replace(start, stop, "".join(one + ending for one in new))


def rewritten(theirs: Document, ours: Document) -> tuple[Edit, ...]:
    """Return the edits that turn one text into another, line by line."""
    their_lines, our_lines = (
        [document.lines.full(line) for line in range(len(document.lines))] for document in (theirs, ours)
    )
    before, after = [span.of(theirs.text) for span in their_lines], [span.of(ours.text) for span in our_lines]
    pairs = [(-1, -1), *equal(before, after), (len(before), len(after))]
    edits = []
    for (low, start), (high, stop) in pairwise(pairs):
        offset = their_lines[low].end if low >= 0 else 0
        old = "".join(before[low + 1 : high])
        new = "".join(after[start + 1 : stop])
        if old or new:
            edits.append(Edit(Span(offset, offset + len(old)), new))
    return tuple(edits)


class Conflict(NamedTuple):
    """A text that both sides changed differently; theirs is unchanged, ours was not written."""

    base: str
    ours: str  # empty: ours removed it
    theirs: str  # empty: theirs removed it
    line: int  # of theirs, 1-based, at which it is or was


class Merged(NamedTuple):
    """Edits of theirs that apply our changes, and the conflicts."""

    edits: tuple[Edit, ...]
    conflicts: tuple[Conflict, ...] = ()


def merge(base: Document, ours: Document, theirs: Document) -> Merged:
    """Merge two changes of one version, as edits of theirs.

    Entries are matched by their `^id`, then by text, then by position. Two appends are both kept, theirs first; the
    same change on both sides is made once; an entry that both changed, or that one changed and the other removed, is a
    conflict, as is a section that one removed and the other wrote to. The result is verified (law 2); if both changes
    cannot be combined, the whole change is one conflict.
    """
    if ours.text in (base.text, theirs.text):
        return Merged(())
    if base.text == theirs.text:
        return Merged(_first(theirs, (rewritten(theirs, ours), (Edit.replace(0, len(theirs.text), ours.text),))))
    units = [read_units(document) for document in (base, ours, theirs)]
    for careful in (False, True):
        three = ThreeWayMerge(*units, careful=careful)
        edits = tuple(written(theirs, three.pieces))
        if _is_verified(theirs, edits):
            return Merged(edits, tuple(map(_conflict, three.clashes)))
    return Merged((), (Conflict(base.text, ours.text, theirs.text, 1),))


def _first(theirs: Document, candidates: Sequence[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """Return the first candidate that passes verification, else the last one, which replaces the whole file."""
    return next((edits for edits in candidates if _is_verified(theirs, edits)), candidates[-1])


def _is_verified(theirs: Document, edits: Sequence[Edit]) -> bool:
    after = parse(apply_edits(theirs.text, edits).encode("utf-8", "surrogateescape"))
    return next(violations(theirs, edits, after), None) is None


def _conflict(clash: MergeClash) -> Conflict:
    return Conflict(_text(clash.base), _text(clash.ours), _text(clash.theirs), clash.line + 1)


def _text(units: Sequence[MergeUnit]) -> str:
    return "\n".join(unit.text for unit in units)
