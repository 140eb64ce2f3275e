"""From the files of a bundle to edits: of the files as they came, and of the user's overlays. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.merge import Conflict, merge


class MergedOverlay(NamedTuple):
    """The edits that bring an update into an overlay, and where both changed the same text: the overlay's holds."""

    edits: tuple[Edit, ...]
    conflicts: tuple[Conflict, ...]


def whole_file(now: Document | None, data: bytes) -> Sequence[Edit]:
    """Return the edits that make a file these bytes; none if it has them. An empty file is made by an empty edit."""
    if now is not None and now.to_bytes() == data:
        return ()
    return (Edit.replace(0, len(now.text) if now else 0, data.decode("utf-8", "surrogateescape")),)


def updated_overlay(base: bytes, overlay: Document, update: bytes) -> MergedOverlay:
    """Merge what an update changed in a piece into the user's own text of it."""
    merged = merge(parse(base), parse(update), overlay)
    text = apply_edits(overlay.text, merged.edits)
    conflicts = tuple(one for one in merged.conflicts if one.ours != one.theirs)
    return MergedOverlay(smallest(overlay.text, text), conflicts)
