"""Two changes of one version, side by side: what one changed, what both did, and where they collide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from mdmem.core.merge.align import align
from mdmem.core.merge.combine import Piece, combine
from mdmem.core.merge.units import Unit
from mdmem.core.record import NamedTuple


class Clash(NamedTuple):
    """Units of which both sides made something else; theirs stay as they are."""

    base: tuple[Unit, ...]
    ours: tuple[Unit, ...]
    theirs: tuple[Unit, ...]
    line: int  # of theirs, where it stands or stood


class Side:
    """One side's change: what each unit of the base became, and what was put before each."""

    def __init__(self, base: Sequence[Unit], units: Sequence[Unit]) -> None:
        self.base = base
        to = align(base, units)
        self.became = [units[to[index]] if index in to else None for index in range(len(base))]
        # new units stand behind the last one that stayed; slot 0 is before all of the base
        self.slots: list[list[Unit]] = [[] for _ in range(len(base) + 1)]
        come_from = {at: index for index, at in to.items()}
        self.added: list[tuple[str, Unit]] = []  # with the section that each stands in
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

    def body(self, low: int, high: int) -> tuple[Unit, ...]:
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


class Three:
    """A merge of three versions; `pieces` is the result in order, `clashes` what collides.

    Where both sides changed something between two units that neither touched, each unit is looked at by itself;
    `careful` takes all of it for a clash.
    """

    def __init__(self, base: Sequence[Unit], ours: Sequence[Unit], theirs: Sequence[Unit], *, careful: bool) -> None:
        self.base, self.careful = base, careful
        self.ours, self.theirs = Side(base, ours), Side(base, theirs)
        self.named = {unit.name: unit for _, unit in self.theirs.added if unit.name}
        self.known = Counter((section, unit.text) for section, unit in self.theirs.added if unit.kind == "entry")
        self.sections = {unit.first: section for section, unit in self.ours.added}
        self.line = 0
        self.clashes: list[Clash] = []
        self.pieces = list(self._merge())

    def _merge(self) -> Iterator[Piece]:
        low = 0
        for index in range(len(self.base) + 1):
            if index < len(self.base) and not (self.ours.same(index) and self.theirs.same(index)):
                continue
            yield from self._hunk(low, index)
            if index < len(self.base):
                yield from self._one(index)
            low = index + 1

    def _hunk(self, low: int, high: int) -> Iterator[Piece]:
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

    def _each(self, low: int, high: int) -> Iterator[Piece]:
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

    def _one(self, index: int, *, spaced: bool = False) -> Iterator[Piece]:
        """Merge what one unit of the base became."""
        ours, theirs = self.ours.became[index], self.theirs.became[index]
        if theirs:
            self.line = theirs.first
        if spaced or self.ours.same(index) or (ours and theirs and ours.text == theirs.text):
            yield from _kept([theirs])
        elif self.theirs.same(index):
            if ours:
                yield Piece(ours, kept=False)
            elif self._last(self.base[index].text):
                yield from _kept([theirs])
        elif ours or theirs:
            yield from self._clash(index, index + 1, [ours], [theirs])

    def _clash(
        self, low: int, high: int, ours: Sequence[Unit | None], theirs: Sequence[Unit | None]
    ) -> Iterator[Piece]:
        mine, yours = (tuple(unit for unit in units if unit) for units in (ours, theirs))
        line = yours[0].first if yours else self.line
        self.clashes.append(Clash(tuple(self.base[low:high]), mine, yours, line))
        yield from _kept(yours)

    def _fresh(self, units: Sequence[Unit]) -> list[Unit]:
        """Leave out what theirs added too; one name for two things is a clash."""
        found = []
        for unit in units:
            key = (self.sections.get(unit.first, ""), unit.text)
            other = self.named.get(unit.name) if unit.name else None
            if other and other.text != unit.text:
                self.clashes.append(Clash((), (unit,), (other,), other.first))
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


def _kept(units: Sequence[Unit | None]) -> Iterator[Piece]:
    return (Piece(unit, kept=True) for unit in units if unit)
