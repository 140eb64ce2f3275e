"""Build one part: cut its source by the view of its file, then by the tokens that it is granted."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from mdmem.context.cuts import CUTS
from mdmem.context.cuts.order import Shape
from mdmem.context.fit import fit
from mdmem.context.material import Item, Material
from mdmem.context.recipe import Slot
from mdmem.context.render import Style, render
from mdmem.context.result import SEPARATOR, Left, Part
from mdmem.context.tokens import Counter
from mdmem.core.record import NamedTuple

_NOTHING = Material()


class Source(NamedTuple):
    """What a part is made of."""

    material: Material = _NOTHING
    why: str = ""  # why there is nothing: missing, empty, off, unreadable, unknown
    filled_by: str = ""  # the file, or the option, that would fill the part
    cut: str = "head"
    head: float = 0.7
    tail: float = 0.2
    wanted: frozenset[int] | None = None  # the items that the view of the file shows; None: all
    whole: Material | None = None  # shown instead if all of it fits,
    whole_tokens: int | None = None  # and takes no more than so many tokens
    markers: Mapping[str, str] = {}  # cut, more, older


class Built(NamedTuple):
    """A part as one budget allows it."""

    text: str
    cost: int  # tokens, with what parts it from the next
    material: Material
    shown: frozenset[int]
    room: int | None


class Builder:
    """One part, to be built for one budget and another."""

    def __init__(self, slot: Slot, source: Source, counter: Counter, lang: str) -> None:
        self.slot, self.source, self.counter = slot, source, counter
        self.title = slot.title[lang]
        self.cut = CUTS[source.cut]
        self.style = Style(slot.level, source.markers.get(self.cut.marker, ""), self.cut.where)

    def build(self, room: int | None, *, capped: bool = True) -> Built:
        """Build the part for a number of tokens; None: no limit but its own cap, which holds while `capped`."""
        if capped:
            room = self.slot.tokens if room is None else min(room, self.slot.tokens or room)
        whole = self.source.whole
        if whole is not None:
            every = frozenset(range(len(whole.items)))
            text = self._text(whole, every)
            if all(most is None or self._cost(text) <= most for most in (room, self.source.whole_tokens)):
                return Built(text, self._cost(text), whole, every, room)
        return self._fitted(self._candidates, room)

    @cached_property
    def rules(self) -> int:
        """The tokens of the rules, which stay longer than anything else."""
        kept = {index: item for index, item in self._candidates.items() if item.kept}
        return self._fitted(kept, self.slot.tokens).cost if kept else 0

    @cached_property
    def _candidates(self) -> dict[int, Item]:
        wanted = self.source.wanted
        return {
            index: item for index, item in enumerate(self.source.material.items) if wanted is None or index in wanted
        }

    def _fitted(self, items: Mapping[int, Item], room: int | None) -> Built:
        material = self.source.material
        shape = Shape(self.slot.step, self.source.head, self.source.tail)
        order = self.cut.order(items, shape)

        def fits(shown: frozenset[int]) -> bool:
            return room is None or self._cost(self._text(material, shown)) <= room

        shown = fit(order, fits)
        dumb = not (shown or material.notes or (self.cut.where == "each" and not items))
        if shown is None or dumb:  # a title alone says nothing; a section whose entries are all too long is told of
            return Built("", 0, material, frozenset(), room)
        text = self._text(material, shown)
        return Built(text, self._cost(text), material, shown, room)

    def _text(self, material: Material, shown: frozenset[int]) -> str:
        body = render(material, shown, self.style)
        return f"{'#' * self.slot.level} {self.title}\n\n{body}" if body else ""

    def _cost(self, text: str) -> int:
        return self.counter(text + SEPARATOR) if text else 0

    def part(self, built: Built) -> Part:
        """Give the part as it came out, with what it left out and why."""
        material, wanted = built.material, self.source.wanted
        left = list(material.left)
        if built.material is self.source.material:
            for index, item in enumerate(material.items):
                if index not in built.shown:
                    why = "view" if wanted is not None and index not in wanted else "budget"
                    left.append(Left(material.groups[item.group].path, item.line, item.said, why))
        if not built.text and material.notes:
            left += [Left("", 0, note, "budget") for note in material.notes]
        why = self.source.why or ("" if built.text else "budget")
        tokens = self.counter(built.text)
        return Part(
            self.slot.name, self.title, self.slot.role, built.text, tokens, built.room, len(built.shown),
            tuple(left), "" if built.text else why, self.source.filled_by,
        )  # fmt: skip
