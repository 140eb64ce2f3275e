"""One side of a three-way merge: what it made of each unit of the base, what it added, and what it moved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from mdmem.text.merge.merge_entry import FieldChoice, entry_identity, merged_entry
from mdmem.text.merge.merge_units import MergeUnit, align, alike, fits, is_version


class MergeSide:
    """One side's change: the new version of each unit of the base, and the units inserted before each."""

    def __init__(self, base: Sequence[MergeUnit], units: Sequence[MergeUnit]) -> None:
        self.base = base
        to = _without_moved(base, units, align(base, units))
        self.became = [units[to[index]] if index in to else None for index in range(len(base))]
        # new units follow the last unit that was kept; slot 0 precedes the base
        self.slots: list[list[MergeUnit]] = [[] for _ in range(len(base) + 1)]
        come_from = {at: index for index, at in to.items()}
        self.added: list[tuple[str, MergeUnit]] = []  # with the section of each
        gone = [index for index in range(len(base)) if index not in to]
        self.gone_entries = [index for index in gone if base[index].kind == "entry"]
        self.removed = {base[index].text for index in gone}
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

    def edited(self, index: int) -> bool:
        """Return whether a unit of the base was changed, and is not one that something else has replaced."""
        unit = self.became[index]
        return unit is not None and not self.same(index) and is_version(self.base[index], unit)

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
        changed = any(self.edited(index) for index in range(low, high))
        return changed or any(unit.kind != "blank" for unit in new)

    def inside(self, low: int, high: int) -> int:
        """Count the units inserted after a range that belong to its first unit: an entry or a section heading."""
        one, slot = self.base[low], self.slots[high]
        ends = (unit.kind == "heading" if one.kind == "heading" else unit.depth <= one.depth for unit in slot)
        return next((at for at, end in enumerate(ends) if end), len(slot))

    def moved(self) -> dict[int, MergeUnit]:
        """Return the entries of the base that stand elsewhere now; two that say the same are not followed."""
        found: dict[int, MergeUnit] = {}
        if not self.gone_entries:
            return found
        entries = [unit for _, unit in self.added if unit.kind == "entry"]
        for key in (_name, _identity):
            gone = _once((key(self.base[index]), index) for index in self.gone_entries if index not in found)
            taken = {unit.first for unit in found.values()}
            added = _once((key(unit), unit) for unit in entries if unit.first not in taken)
            pairs = ((index, added[one]) for one, index in gone.items() if one in added)
            found |= {index: unit for index, unit in pairs if fits(self.base[index], unit)}
        return found

    def put(self, texts: Mapping[int, str]) -> None:
        """Give added units other texts, by their first lines; an empty one takes a unit out."""
        if not texts:
            return

        def new(unit: MergeUnit) -> MergeUnit:
            text = texts.get(unit.first, unit.text)
            return unit if text == unit.text else unit._replace(text=text, is_new=True)

        def stays(unit: MergeUnit) -> bool:
            return texts.get(unit.first) != ""

        self.slots = [[new(unit) for unit in slot if stays(unit)] for slot in self.slots]
        self.added = [(section, new(unit)) for section, unit in self.added if stays(unit)]

    def settle(self, index: int) -> None:
        """Take a changed unit of the base for an unchanged one: its change was carried to where it was moved."""
        if unit := self.became[index]:
            self.became[index] = unit._replace(text=self.base[index].text)


_Item = TypeVar("_Item")


def _once(items: Iterable[tuple[str, _Item]]) -> dict[str, _Item]:
    """Return the items whose key occurs once and is not empty."""
    pairs = list(items)
    count = Counter(key for key, _ in pairs)
    return {key: item for key, item in pairs if key and count[key] == 1}


def _name(unit: MergeUnit) -> str:
    return unit.name


def _identity(unit: MergeUnit) -> str:
    return entry_identity(unit.words)


def _without_moved(base: Sequence[MergeUnit], units: Sequence[MergeUnit], to: Mapping[int, int]) -> dict[int, int]:
    """Return the pairs of two versions without an entry that stands in the place of one that was moved.

    Such a pair was matched by its position; the text of one of both stands elsewhere too.
    """
    same = {index: at for index, at in to.items() if base[index].text == units[at].text}
    left = [(index, _identity(one)) for index, one in enumerate(base) if one.kind == "entry" and index not in same]
    taken = set(same.values())
    came = [(at, _identity(one)) for at, one in enumerate(units) if one.kind == "entry" and at not in taken]
    old, new = Counter(key for _, key in left), Counter(key for _, key in came)
    before, after = dict(left), dict(came)

    def stays(index: int, at: int) -> bool:
        one, other = before.get(index), after.get(at)
        return one is None or other is None or one == other or not (new[one] or old[other])

    return {index: at for index, at in to.items() if stays(index, at)}


Collisions: TypeAlias = dict[int, tuple[MergeUnit, MergeUnit]]


def carry_moves(ours: MergeSide, theirs: MergeSide, choose: FieldChoice) -> Collisions:
    """Let an entry that one side moved take along what the other one changed in it.

    An entry that both moved, and one that both added under the same id, stands once, where theirs has it. Return those
    that both changed differently: the line of ours → the unit of the base and that of theirs.
    """
    by_ours, by_theirs = ours.moved(), theirs.moved()
    collisions: Collisions = {}
    our_texts: dict[int, str] = {}
    their_texts: dict[int, str] = {}
    for index in sorted(by_ours.keys() | by_theirs.keys()):
        one = ours.base[index]
        mine, yours = by_ours.get(index) or ours.became[index], by_theirs.get(index) or theirs.became[index]
        if mine is None or yours is None:  # the other side removed it: it stays where it was moved to
            continue
        text = merged_unit(one, mine, yours, choose)
        if text is None:
            if index in by_ours and index in by_theirs:
                collisions[mine.first] = (one, yours)
        elif index in by_theirs:
            their_texts[yours.first] = text
            if index in by_ours:
                our_texts[mine.first] = ""
            else:
                ours.settle(index)
        else:
            our_texts[mine.first] = text
            theirs.settle(index)
    ours.put(our_texts)
    theirs.put(their_texts)
    _join_named(ours, theirs, choose)
    return collisions


def merged_unit(base: MergeUnit, ours: MergeUnit, theirs: MergeUnit, choose: FieldChoice) -> str | None:
    """Return an entry with the changes of both sides; None if they collide, or one made something else of it."""
    if not (alike(base, ours) and alike(base, theirs)):
        return None
    return merged_entry(base.text, ours.text, theirs.text, choose)


def _join_named(ours: MergeSide, theirs: MergeSide, choose: FieldChoice) -> None:
    """Join the entries that both sides added under one id, if they say the same words."""
    sides = [[unit for _, unit in side.added if unit.kind == "entry"] for side in (ours, theirs)]
    mine, yours = (_once((unit.name, unit) for unit in units) for units in sides)
    pairs = [(mine[name], yours[name]) for name in mine.keys() & yours.keys() if mine[name].text != yours[name].text]
    texts = [(one, other, merged_entry("", one.text, other.text, choose)) for one, other in pairs]
    theirs.put({other.first: text for _, other, text in texts if text is not None})
    ours.put({one.first: "" for one, _, text in texts if text is not None})
