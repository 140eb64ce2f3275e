"""What two sides wrote at one place: theirs first, ours behind it, each once, and each in its section."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.core.merge.units import Unit
from mdmem.core.record import NamedTuple

_BLANK = Unit("blank", "", "", "", -1, -1)


class Piece(NamedTuple):
    """A unit of the result: one of theirs that stays where it is, or a new one."""

    unit: Unit
    kept: bool


def combine(theirs: Sequence[Unit], ours: Sequence[Unit]) -> list[Piece]:
    """Put together what both sides wrote at one place, section by section."""
    mine = _split(ours)
    pieces: list[Piece] = []
    for title, units in _split(theirs):
        mate = next((part for part in mine if part[0] == title), (title, []))
        mine = [part for part in mine if part is not mate]
        pieces += _join(units, mate[1][title is not None :])
    for _, units in mine:
        if theirs and pieces[-1].unit.kind != "blank":
            pieces.append(Piece(_BLANK, kept=False))
        pieces += [Piece(unit, kept=False) for unit in units]
    return pieces


def _split(units: Sequence[Unit]) -> list[tuple[str | None, list[Unit]]]:
    """Cut units at their headings; the first part stands before any, and may be empty."""
    parts: list[tuple[str | None, list[Unit]]] = [(None, [])]
    for unit in units:
        if unit.kind == "heading":
            parts.append((unit.words, []))
        parts[-1][1].append(unit)
    return parts


def _join(theirs: Sequence[Unit], ours: Sequence[Unit]) -> Iterator[Piece]:
    """Put our units behind theirs, above the blank lines that end them."""
    known = {unit.text for unit in theirs if any(map(str.isalnum, unit.text))}
    fresh = [unit for unit in ours if unit.kind == "entry" or unit.text not in known]
    if theirs and all(unit.kind == "blank" for unit in fresh):
        fresh = []
    end = len(theirs)
    while fresh and end and theirs[end - 1].kind == "blank":
        end -= 1
    yield from (Piece(unit, kept=True) for unit in theirs[:end])
    if fresh and end:
        if fresh[0].kind == "blank" and theirs[end - 1].kind == "entry":
            first = next(at for at, unit in enumerate(fresh) if unit.kind != "blank")
            fresh = fresh[first:] if fresh[first].kind == "entry" else fresh
        elif {fresh[0].kind, theirs[end - 1].kind} not in ({"entry"}, {"front"}) and fresh[0].kind != "blank":
            yield Piece(_BLANK, kept=False)
    yield from (Piece(unit, kept=False) for unit in fresh)
    yield from (Piece(unit, kept=True) for unit in theirs[end:])
