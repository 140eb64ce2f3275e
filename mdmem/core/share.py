"""Divide the characters of a file's view among its sections, so that each one shows something.

The keeper condenses a section to its share, and the packer shows what fits into the same share.
"""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.template import Template

_AROUND = len("# \n\n- \n\n")  # of a heading and an entry, without their text


def view_room(template: Template, titles: int = 0) -> int | None:
    """Return the characters that a file's view has for entries beside the headings of all its sections.

    Args:
        template: the file's kind.
        titles: characters that the titles around the view take.
    """
    if template.view.max_chars is None:
        return None
    heads = sum(section.level + len(section.name) + _AROUND for section in template.sections)
    return max(0, template.view.max_chars - titles - heads)


def shares(room: int, wants: Sequence[int], least: Sequence[int]) -> tuple[int, ...]:
    """Divide a room fairly: nobody gets more than it wants, or less than its least, and the others get the same.

    The sum exceeds the room only where the least of all do.
    """

    def at(level: int) -> tuple[int, ...]:
        return tuple(max(low, min(level, want)) for want, low in zip(wants, least, strict=True))

    low, high = 0, max((*wants, 0))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if sum(at(middle)) <= room else (low, middle - 1)
    return at(low)
