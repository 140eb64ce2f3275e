"""Writes what is shown of a source: headings, items where they stood, and a mark where something is missing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mdmem.context.material import Group, Material

_DEEPEST = 6


class Style(NamedTuple):
    """How a source is written."""

    level: int  # of the part's title; headings lie below it
    marker: str  # with {count} and {path}
    each: bool = False  # a mark in every group that lost something, and all headings stay


def render(material: Material, shown: frozenset[int], style: Style, wanted: frozenset[int] | None = None) -> str:
    """Write the items shown; those that are not shown, but wanted, are marked."""
    wanted = frozenset(range(len(material.items))) if wanted is None else wanted
    return "\n\n".join((*_groups(material, shown, wanted, style), *material.notes))


def _groups(material: Material, shown: frozenset[int], wanted: frozenset[int], style: Style) -> list[str]:
    own: Mapping[int, list[int]] = _by_group(material, wanted)
    heads = _headed(material, own, shown, style)
    shift = style.level + 1 - min((group.level for group in material.groups if group.level), default=1)
    missing = len(wanted - shown)
    out: list[str] = []
    for index, group in enumerate(material.groups):
        items = own.get(index, [])
        lost = sum(item not in shown for item in items)
        mark = ""
        if lost and style.each and index in heads:
            mark = style.marker.format(count=lost, path=group.path)
        elif lost and missing and not style.each:
            mark = style.marker.format(count=missing, path=group.path)
            missing = 0
        body = _body(material, items, shown, mark, last=style.each)
        title = _heading(group, shift) if index in heads and group.level else ""
        out += [text for text in (title, body) if text]
    return out


def _by_group(material: Material, wanted: frozenset[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index in sorted(wanted):
        found.setdefault(material.items[index].group, []).append(index)
    return found


def _headed(material: Material, own: Mapping[int, list[int]], shown: frozenset[int], style: Style) -> set[int]:
    """Give the groups whose heading is shown: those that show something, and those around them."""
    if style.each:
        return set(range(len(material.groups)))
    found: set[int] = set()
    for index, items in own.items():
        at: int | None = index if any(item in shown for item in items) else None
        while at is not None and at not in found:
            found.add(at)
            at = material.groups[at].parent
    return found


def _heading(group: Group, shift: int) -> str:
    return f"{'#' * max(1, min(_DEEPEST, group.level + shift))} {group.title}"


def _body(material: Material, items: list[int], shown: frozenset[int], mark: str, *, last: bool) -> str:
    out = ""
    before: int | None = None
    for index in items:
        item = material.items[index]
        if index not in shown:
            if mark and not last:
                out += ("\n\n" if out else "") + mark
                mark, before = "", None
            continue
        joint = item.joint if before == index - 1 else "\n\n" if before is None else "\n"
        out += (joint if out else "") + item.text
        before = index
    return out + (("\n" if out else "") + mark if mark else "")
