"""Makes a part's source of a memory file: the view that its template allows a model, and the sections asked for."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.build import Source
from mdmem.context.cuts import CUTS
from mdmem.context.cuts.order import Shape
from mdmem.context.fit import fit
from mdmem.context.material import Material, pick
from mdmem.context.recipe import Slot
from mdmem.context.render import Style, render
from mdmem.core.template import View


def view(
    material: Material, slot: Slot, shape: View, markers: Mapping[str, str], only: frozenset[str],
    without: frozenset[str], reserve: int,
) -> Source:  # fmt: skip
    """Cut a file as a whole to its view, then keep the sections that the part shows.

    Args:
        material: the whole file.
        slot: the part.
        shape: the view of the file's template; the part may set its own characters and its own cut.
        markers: what stands where something was cut, in one language.
        only: names of the sections it shows; empty: all but those of `without`.
        without: names of the sections it leaves to others.
        reserve: characters of the titles of all parts that show this file: they count too (F059).
    """
    cut = slot.cut or shape.cut or "head"
    head, tail = shape.head or 0.0, shape.tail or 0.0
    room = slot.max_chars or shape.max_chars
    wanted = _wanted(material, slot, cut, (head or 1.0, tail), room - reserve if room else None, markers)
    groups = frozenset(
        index
        for index, group in enumerate(material.groups)
        if (group.name in only if only else group.name not in without)
    )
    own, old = pick(material, groups)
    if len(only) == 1:  # the part's title stands for the section's
        own = own._replace(
            groups=tuple(one._replace(level=0) if _opens(one.name, one.parent) else one for one in own.groups)
        )
    if wanted is not None:
        wanted = frozenset(new for new, index in enumerate(old) if index in wanted)
    return Source(own, cut=cut, head=head or 1.0, tail=tail, wanted=wanted, markers=markers)


def _wanted(
    material: Material, slot: Slot, cut: str, shares: tuple[float, float], room: int | None, markers: Mapping[str, str]
) -> frozenset[int] | None:
    """Give the items that the view has room for; None where it has room for all."""
    if room is None:
        return None
    way = CUTS[cut]
    style = Style(slot.level, markers.get(way.marker, ""), way.where)
    every = frozenset(range(len(material.items)))

    def fits(shown: frozenset[int]) -> bool:
        return len(render(material, shown, style)) <= room

    if fits(every):
        return None
    order = way.order(dict(enumerate(material.items)), Shape(slot.step, *shares, room, visible=True))
    return fit(order, fits) or frozenset()


def _opens(name: str, parent: int | None) -> bool:
    return bool(name) and parent is None
