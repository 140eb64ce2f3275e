"""Three-way merge of documents by units: entries, keys of front matter, closed blocks and single lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.merge.merge_entry import FieldChoice, no_choice
from mdmem.text.merge.merge_side import MergeSide, carry_moves, merged_unit
from mdmem.text.merge.merge_units import MergeUnit, equal, read_units
from mdmem.text.spans import Span
from mdmem.text.verify import violations

_BLANK = MergeUnit("blank", "", "", "", -1, -1)
_GONE = MergeUnit("gone", "", "", "", -1, -1)  # the place of a unit that theirs removed, in a clash


class MergeClash(NamedTuple):
    """Units that both sides changed differently; theirs stay unchanged."""

    base: tuple[MergeUnit, ...]
    ours: tuple[MergeUnit, ...]
    theirs: tuple[MergeUnit, ...]
    line: int  # of theirs, at which it is or was
    is_added: bool = False  # both added it, or moved it: theirs stands where theirs has it


class MergedUnit(NamedTuple):
    """A unit of the result: an unmoved unit of theirs, or a new one."""

    unit: MergeUnit
    kept: bool
    clash: MergeClash | None = None  # of which it shows the side of theirs, or the place where that was


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
    yield from _kept(theirs[:end])
    if fresh and end:
        if fresh[0].kind == "blank" and theirs[end - 1].kind == "entry":
            first = next(at for at, unit in enumerate(fresh) if unit.kind != "blank")
            fresh = fresh[first:] if fresh[first].kind == "entry" else fresh
        elif {fresh[0].kind, theirs[end - 1].kind} not in ({"entry"}, {"front"}) and fresh[0].kind != "blank":
            yield MergedUnit(_BLANK, kept=False)
    yield from (MergedUnit(unit, kept=False) for unit in fresh)
    yield from _kept(theirs[end:])


class MergeRules(NamedTuple):
    """What a merge decides by itself."""

    choose: FieldChoice = no_choice  # about fields that both sides changed differently
    keep_both: bool = False  # two new entries in the place of one that both removed


class ThreeWayMerge:
    """A merge of three versions; `pieces` is the result in order, `clashes` are the conflicts.

    If both sides changed units between two unchanged ones, each unit is merged separately; with `careful` the whole
    range is a clash.
    """

    def __init__(
        self, base: Sequence[MergeUnit], ours: Sequence[MergeUnit], theirs: Sequence[MergeUnit], *, careful: bool,
        rules: MergeRules,
    ) -> None:  # fmt: skip
        self.base, self.careful, self.rules = base, careful, rules
        self.ours, self.theirs = MergeSide(base, ours), MergeSide(base, theirs)
        self.collisions = carry_moves(self.ours, self.theirs, rules.choose)
        self.named = {unit.name: unit for _, unit in self.theirs.added if unit.name}
        self.known = Counter((section, unit.text) for section, unit in self.theirs.added if unit.kind == "entry")
        self.sections = {unit.first: section for section, unit in self.ours.added}
        self.line = 0
        self.clashes: list[MergeClash] = []
        pieces = list(self._merge())
        added = {clash.theirs[0].first: clash for clash in self.clashes if clash.is_added}
        self.pieces = [one._replace(clash=one.clash or added.get(one.unit.first)) for one in pieces]

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
        elif ours and theirs and (text := self._merged_entry(index)) is not None:
            yield MergedUnit(theirs._replace(text=text), kept=False)
        elif ours and theirs is None and not self.ours.edited(index):  # it was replaced, and theirs removed it
            yield MergedUnit(ours, kept=False)
        elif theirs and ours is None and not self.theirs.edited(index):
            yield from _kept([theirs])
        elif ours and theirs and self.rules.keep_both and not (self.ours.edited(index) or self.theirs.edited(index)):
            yield from (*_kept([theirs]), MergedUnit(ours, kept=False))
        elif ours or theirs:
            yield from self._clash(index, index + 1, [ours], [theirs])

    def _merged_entry(self, index: int) -> str | None:
        """Return an entry of the base with the changes of both sides; None if they collide, or it is no entry."""
        one, ours, theirs = self.base[index], self.ours.became[index], self.theirs.became[index]
        if one.kind != "entry" or ours is None or theirs is None:
            return None
        return merged_unit(one, ours, theirs, self.rules.choose)

    def _clash(
        self, low: int, high: int, ours: Sequence[MergeUnit | None], theirs: Sequence[MergeUnit | None]
    ) -> Iterator[MergedUnit]:
        our_units, their_units = (tuple(unit for unit in units if unit) for units in (ours, theirs))
        line = their_units[0].first if their_units else self.line
        clash = MergeClash(tuple(self.base[low:high]), our_units, their_units, line)
        self.clashes.append(clash)
        shown = list(_kept(their_units)) or [MergedUnit(_GONE, kept=False)]
        yield from (one._replace(clash=clash) for one in shown)

    def _fresh(self, units: Sequence[MergeUnit]) -> list[MergeUnit]:
        """Return the units that theirs did not add too; different units with one name are a clash."""
        found = []
        for unit in units:
            key = (self.sections.get(unit.first, ""), unit.text)
            was, other = self.collisions.get(unit.first, (None, self.named.get(unit.name) if unit.name else None))
            if other and other.text != unit.text:
                base = (was,) if was else ()
                self.clashes.append(MergeClash(base, (unit,), (other,), other.first, is_added=True))
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
    return (MergedUnit(unit, kept=not unit.is_new) for unit in units if unit)


def written(theirs: Document, pieces: Iterable[MergedUnit]) -> Iterator[Edit]:
    """Yield the edits that keep unmoved pieces, remove other units, and insert new ones between them."""
    ending = theirs.lines.ending
    before: MergeUnit | None = None
    new: list[str] = []
    for piece in (*(one for one in pieces if one.unit is not _GONE), None):
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

    Entries are matched by their `^id`, then by text, then by position; one that a side moved takes along what the other
    changed. Two appends are both kept, theirs first; the same change on both sides is made once. An entry of which both
    changed one part (checkbox, date, words, a field) differently, or that one changed and the other removed, is a
    conflict, as is a section that one removed and the other wrote to. The result is verified (law 2); if both changes
    cannot be combined, the whole change is one conflict.
    """
    if (easy := _one_sided(base, ours, theirs)) is not None:
        return Merged(easy)
    if (made := _verified(base, ours, theirs, MergeRules())) is not None:
        three, edits = made
        return Merged(edits, tuple(map(_conflict, three.clashes)))
    return Merged((), (Conflict(base.text, ours.text, theirs.text, 1),))


def _one_sided(base: Document, ours: Document, theirs: Document) -> tuple[Edit, ...] | None:
    """Return the edits of theirs where one side alone changed something; None if both did."""
    if ours.text in (base.text, theirs.text):
        return ()
    if base.text == theirs.text:
        return _first(theirs, (rewritten(theirs, ours), (Edit.replace(0, len(theirs.text), ours.text),)))
    return None


def _verified(
    base: Document, ours: Document, theirs: Document, rules: MergeRules
) -> tuple[ThreeWayMerge, tuple[Edit, ...]] | None:
    """Return the merge of three versions, and its edits of theirs; None if none passes verification."""
    units = [read_units(document) for document in (base, ours, theirs)]
    for careful in (False, True):
        three = ThreeWayMerge(*units, careful=careful, rules=rules)
        edits = tuple(written(theirs, three.pieces))
        if _is_verified(theirs, edits):
            return three, edits
    return None


class MergedText(NamedTuple):
    """The text of a merge, in which each conflict is shown as the caller wants it, and the conflicts."""

    text: str
    conflicts: tuple[Conflict, ...] = ()


def merge_text(
    base: Document,
    ours: Document,
    theirs: Document,
    shown: Callable[[Conflict], str],
    choose: FieldChoice = no_choice,
) -> MergedText | None:
    """Merge as `merge` does, and give the text; None if the texts cannot be combined.

    In a generated block nothing conflicts: one side holds until the block is renewed.

    Args:
        base: the version that both began with.
        ours: one side.
        theirs: the other side.
        shown: what stands in the place of a conflict.
        choose: decides about fields that both sides changed differently.
    """
    if (easy := _one_sided(base, ours, theirs)) is not None:
        return MergedText(apply_edits(theirs.text, easy))
    made = _verified(base, ours, theirs, MergeRules(choose, keep_both=True))
    if made is None:
        return None
    three, edits = made
    generated = [set(_generated_lines(document)) for document in (ours, theirs)]
    settled = {id(clash) for clash in three.clashes if _is_generated(clash, *generated)}
    pieces = [one._replace(clash=None) if id(one.clash) in settled else one for one in three.pieces]
    clashes = [clash for clash in three.clashes if id(clash) not in settled]
    if clashes:
        edits = tuple(written(theirs, _with_conflicts(pieces, shown)))
    return MergedText(apply_edits(theirs.text, edits), tuple(map(_conflict, clashes)))


def _generated_lines(document: Document) -> Iterator[int]:
    for block in document.auto_blocks:
        yield from range(document.lines.at(block.span.start), document.lines.at(block.span.end) + 1)


def _is_generated(clash: MergeClash, ours: Collection[int], theirs: Collection[int]) -> bool:
    """Return whether both sides of a conflict are lines of generated blocks, given by their numbers."""
    return all(unit.first in lines for units, lines in ((clash.ours, ours), (clash.theirs, theirs)) for unit in units)


def _with_conflicts(pieces: Iterable[MergedUnit], shown: Callable[[Conflict], str]) -> Iterator[MergedUnit]:
    """Yield the units of a merge with what is shown of each conflict in place of theirs."""
    before: MergeClash | None = None
    for piece in pieces:
        if piece.clash is None:
            yield piece
        elif piece.clash is not before and (text := shown(_conflict(piece.clash))):
            yield MergedUnit(MergeUnit("line", text, "", "", -1, -1), kept=False)
        before = piece.clash


class ConflictMarks(NamedTuple):
    """Git's marks around both sides of a conflict."""

    size: int = 7
    labels: tuple[str, str] = ("ours", "theirs")
    shows_base: Callable[[], bool] = bool  # asked for each conflict: whether the base stands between both

    def shown(self, conflict: Conflict) -> str:
        """Return both sides of a conflict between marks."""
        base = (f"{'|' * self.size} base", conflict.base) if self.shows_base() else ()
        begin, end = f"{'<' * self.size} {self.labels[0]}", f"{'>' * self.size} {self.labels[1]}"
        return "\n".join(filter(None, (begin, conflict.ours, *base, "=" * self.size, conflict.theirs, end)))


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
