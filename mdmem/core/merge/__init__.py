"""Pure: three versions of a file become one, by section and entry; what truly collides is shown from both sides."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Document, parse
from mdmem.core.edit import Edit, apply_edits
from mdmem.core.merge.three import Clash, Three
from mdmem.core.merge.units import Unit, read_units
from mdmem.core.merge.write import rewritten, written
from mdmem.core.record import NamedTuple
from mdmem.core.verify import wrong


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
        three = Three(*units, careful=careful)
        edits = tuple(written(theirs, three.pieces))
        if _holds(theirs, edits):
            return Merged(edits, tuple(map(_conflict, three.clashes)))
    return Merged((), (Conflict(base.text, ours.text, theirs.text, 1),))


def _first(theirs: Document, ways: Sequence[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """Give the first way that can be proved, the last one in any case: it names the whole file."""
    return next((edits for edits in ways if _holds(theirs, edits)), ways[-1])


def _holds(theirs: Document, edits: Sequence[Edit]) -> bool:
    after = parse(apply_edits(theirs.text, edits).encode("utf-8", "surrogateescape"))
    return next(wrong(theirs, edits, after), None) is None


def _conflict(clash: Clash) -> Conflict:
    return Conflict(_text(clash.base), _text(clash.ours), _text(clash.theirs), clash.line + 1)


def _text(units: Sequence[Unit]) -> str:
    return "\n".join(unit.text for unit in units)
