"""Writes what is shown of a source: headings, items where they stood, and a mark where something is missing."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.material import Group, Material
from mdmem.core.record import NamedTuple

_DEEPEST = 6


class Style(NamedTuple):
    """How a source is written."""

    level: int  # of the part's title; headings lie below it
    marker: str  # with {count} and {path}
    where: str = "gap"  # as `cuts.Cut` says; with `each` all headings stay

    def mark(self, count: int, path: str) -> str:
        """Write the mark of what is missing; nothing where nothing is."""
        return self.marker.format(count=count, path=path) if count else ""


def render(material: Material, shown: frozenset[int], style: Style) -> str:
    """Write the items shown, and mark that others are not."""
    own = _by_group(material)
    heads = _headed(material, own, shown, style)
    shift = style.level + 1 - min((group.level for group in material.groups if group.level), default=1)
    missing = len(material.items) - len(shown)
    out: list[str] = []
    for index, group in enumerate(material.groups):
        items = own.get(index, [])
        lost = sum(item not in shown for item in items)
        mark = ""
        if style.where == "each":
            mark = style.mark(lost, group.path)
        elif style.where == "gap" and lost:
            mark, missing = style.mark(missing, group.path), 0
        title = _heading(group, shift) if index in heads and group.level else ""
        out += [text for text in (title, _body(material, items, shown, mark, last=style.where == "each")) if text]
    if style.where == "end" and missing:
        out.append(style.mark(missing, ", ".join(dict.fromkeys(filter(None, (one.path for one in material.groups))))))
    return "\n\n".join((*out, *material.notes))


def _by_group(material: Material) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index, item in enumerate(material.items):
        found.setdefault(item.group, []).append(index)
    return found


def _headed(material: Material, own: Mapping[int, list[int]], shown: frozenset[int], style: Style) -> set[int]:
    """Give the groups whose heading is shown: those that show something, and those around them."""
    if style.where == "each":
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
