"""What two sides wrote at one place: theirs first, ours behind it, each once, and each in its section."""

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
    """A unit of the result: one of theirs that stays where it is, or a new one."""

    unit: MergeUnit
    kept: bool


def combine(theirs: Sequence[MergeUnit], ours: Sequence[MergeUnit]) -> list[MergedUnit]:
    """Put together what both sides wrote at one place, section by section."""
    mine = _split(ours)
    pieces: list[MergedUnit] = []
    for title, units in _split(theirs):
        mate = next((part for part in mine if part[0] == title), (title, []))
        mine = [part for part in mine if part is not mate]
        pieces += _join(units, mate[1][title is not None :])
    for _, units in mine:
        if theirs and pieces[-1].unit.kind != "blank":
            pieces.append(MergedUnit(_BLANK, kept=False))
        pieces += [MergedUnit(unit, kept=False) for unit in units]
    return pieces


def _split(units: Sequence[MergeUnit]) -> list[tuple[str | None, list[MergeUnit]]]:
    """Cut units at their headings; the first part stands before any, and may be empty."""
    parts: list[tuple[str | None, list[MergeUnit]]] = [(None, [])]
    for unit in units:
        if unit.kind == "heading":
            parts.append((unit.words, []))
        parts[-1][1].append(unit)
    return parts


def _join(theirs: Sequence[MergeUnit], ours: Sequence[MergeUnit]) -> Iterator[MergedUnit]:
    """Put our units behind theirs, above the blank lines that end them."""
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
    """Units of which both sides made something else; theirs stay as they are."""

    base: tuple[MergeUnit, ...]
    ours: tuple[MergeUnit, ...]
    theirs: tuple[MergeUnit, ...]
    line: int  # of theirs, where it stands or stood


class MergeSide:
    """One side's change: what each unit of the base became, and what was put before each."""

    def __init__(self, base: Sequence[MergeUnit], units: Sequence[MergeUnit]) -> None:
        self.base = base
        to = align(base, units)
        self.became = [units[to[index]] if index in to else None for index in range(len(base))]
        # new units stand behind the last one that stayed; slot 0 is before all of the base
        self.slots: list[list[MergeUnit]] = [[] for _ in range(len(base) + 1)]
        come_from = {at: index for index, at in to.items()}
        self.added: list[tuple[str, MergeUnit]] = []  # with the section that each stands in
        self.gone = {base[index].text for index in range(len(base)) if index not in to}
        self.says = {unit.text for unit in units if unit.kind == "entry"}
        slot, section = 0, ""
        for at, unit in enumerate(units):
            section = unit.words if unit.kind == "heading" else section
            if at in come_from:
                slot = come_from[at] + 1
            else:
                self.slots[slot].append(unit)
                self.added.append((section, unit))

    def same(self, index: int) -> bool:
        """Tell whether a unit of the base stayed as it was."""
        unit = self.became[index]
        return unit is not None and unit.text == self.base[index].text

    def body(self, low: int, high: int) -> tuple[MergeUnit, ...]:
        """Give what a range of the base became, with what was put behind each of its units."""
        pairs = zip(self.became[low:high], self.slots[low + 1 : high + 1], strict=True)
        return tuple(one for unit, slot in pairs for one in ([unit, *slot] if unit else slot))

    def dropped(self, low: int, high: int) -> bool:
        """Tell whether nothing is left of a range of the base."""
        return all(self.became[index] is None or self.base[index].kind == "blank" for index in range(low, high))

    def wrote(self, low: int, high: int) -> bool:
        """Tell whether something was put into an entry or a section of the base, a range of it, or changed there."""
        new = [unit for slot in self.slots[low + 1 : high] for unit in slot] + self.slots[high][
            : self.inside(low, high)
        ]
        changed = any(self.became[index] and not self.same(index) for index in range(low, high))
        return changed or any(unit.kind != "blank" for unit in new)

    def inside(self, low: int, high: int) -> int:
        """Count the units put behind a range that belong to what it begins with: an entry, or a section."""
        one, slot = self.base[low], self.slots[high]
        ends = (unit.kind == "heading" if one.kind == "heading" else unit.depth <= one.depth for unit in slot)
        return next((at for at, end in enumerate(ends) if end), len(slot))


class ThreeWayMerge:
    """A merge of three versions; `pieces` is the result in order, `clashes` what collides.

    Where both sides changed something between two units that neither touched, each unit is looked at by itself;
    `careful` takes all of it for a clash.
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
        """Merge what lies between two units that both sides left alone."""
        ours = (*self.ours.slots[low], *self.ours.body(low, high))
        theirs = (*self.theirs.slots[low], *self.theirs.body(low, high))
        said, mine, yours = ([unit.text for unit in units] for units in (self.base[low:high], ours, theirs))
        if mine == yours:
            yield from _kept(theirs)
        elif self.careful and said not in (mine, yours):
            yield from self._clash(low, high, ours, theirs)
        else:
            yield from self._each(low, high)

    def _each(self, low: int, high: int) -> Iterator[MergedUnit]:
        """Merge unit by unit; what one side dropped with all that belongs to it, and the other wrote to, is a clash."""
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
        """Give the end of an entry or section that one side dropped and the other wrote to; 0 where that is not so."""
        one, places = self.base[index], range(index + 1, high)
        if one.kind == "heading":
            end = next((at for at in places if self.base[at].kind == "heading"), high)
        elif one.kind == "entry":
            end = next((at for at in places if self.base[at].first > one.end), high)
        else:
            return 0
        sides = ((self.ours, self.theirs), (self.theirs, self.ours))
        return end if any(gone.dropped(index, end) and side.wrote(index, end) for gone, side in sides) else 0

    def _spaces(self, index: int, high: int) -> bool:
        """Tell whether a blank line stands above something that stays because it is contested."""
        blank = self.base[index].kind == "blank" and index + 1 < high
        return blank and self._contested(index + 1, high) > 0

    def _one(self, index: int, *, spaced: bool = False) -> Iterator[MergedUnit]:
        """Merge what one unit of the base became."""
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
        mine, yours = (tuple(unit for unit in units if unit) for units in (ours, theirs))
        line = yours[0].first if yours else self.line
        self.clashes.append(MergeClash(tuple(self.base[low:high]), mine, yours, line))
        yield from _kept(yours)

    def _fresh(self, units: Sequence[MergeUnit]) -> list[MergeUnit]:
        """Leave out what theirs added too; one name for two things is a clash."""
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
        """Tell whether ours removed one copy of an entry and theirs another: both meant to keep one."""
        return text in self.ours.says and text in self.theirs.gone

    def _alike(self, text: str) -> bool:
        """Tell whether both sides moved a text, or neither did."""
        return (text in self.ours.gone) is (text in self.theirs.gone)


def _kept(units: Sequence[MergeUnit | None]) -> Iterator[MergedUnit]:
    return (MergedUnit(unit, kept=True) for unit in units if unit)


def written(theirs: Document, pieces: Sequence[MergedUnit]) -> Iterator[Edit]:
    """Make the edits that leave the kept pieces where they are, drop the other units, and put the new ones between."""
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


class Conflict(NamedTuple):
    """What both sides changed and made something else of; theirs stands as it was, ours was not written."""

    base: str
    ours: str  # empty: ours removed it
    theirs: str  # empty: theirs removed it
    line: int  # of theirs, 1-based, where it stands or stood


class Merged(NamedTuple):
    """Edits of theirs that bring in what ours changed, and what could not be brought in."""

    edits: tuple[Edit, ...]
    conflicts: tuple[Conflict, ...] = ()


def merge(base: Document, ours: Document, theirs: Document) -> Merged:
    """Merge two changes of one version, as edits of theirs.

    Entries are known by their `^id`, then by their text, then by their place. Two appends both stay, theirs first;
    the same change on both sides is made once; an entry that both changed, or one changed and the other removed, is a
    conflict, as is a section that one dropped and the other wrote to. The result is proved (law 2); where what both
    did cannot stand together, it is one conflict.
    """
    if ours.text in (base.text, theirs.text):
        return Merged(())
    if base.text == theirs.text:
        return Merged(_first(theirs, (rewritten(theirs, ours), (Edit.replace(0, len(theirs.text), ours.text),))))
    units = [read_units(document) for document in (base, ours, theirs)]
    for careful in (False, True):
        three = ThreeWayMerge(*units, careful=careful)
        edits = tuple(written(theirs, three.pieces))
        if _holds(theirs, edits):
            return Merged(edits, tuple(map(_conflict, three.clashes)))
    return Merged((), (Conflict(base.text, ours.text, theirs.text, 1),))


def _first(theirs: Document, ways: Sequence[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """Give the first way that can be proved, the last one in any case: it names the whole file."""
    return next((edits for edits in ways if _holds(theirs, edits)), ways[-1])


def _holds(theirs: Document, edits: Sequence[Edit]) -> bool:
    after = parse(apply_edits(theirs.text, edits).encode("utf-8", "surrogateescape"))
    return next(violations(theirs, edits, after), None) is None


def _conflict(clash: MergeClash) -> Conflict:
    return Conflict(_text(clash.base), _text(clash.ours), _text(clash.theirs), clash.line + 1)


def _text(units: Sequence[MergeUnit]) -> str:
    return "\n".join(unit.text for unit in units)
