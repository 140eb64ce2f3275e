"""Leave out of a pack the lines that another part of it shows: those made from facts, and recalled ones. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mdmem.context.model import Material, MaterialItem, OmittedItem
from mdmem.text.entry import statement
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key

_MARKER = pattern(r"[-*+]\s+")


def repeated(parts: Sequence[tuple[Material, frozenset[int]]], ranked: Sequence[int]) -> dict[int, frozenset[str]]:
    """Return what each part says that another one shows, by the index of the part; empty if nothing is said twice.

    Args:
        parts: the material of each part, and the items that it shows.
        ranked: the indexes of the parts, the most important first: the first of several keeps the line.
    """
    if not any(item.repeats for material, _ in parts for item in material.items):
        return {}
    said = {key for material, shown in parts for item, key in _said(material, shown) if not item.repeats}
    found: dict[int, frozenset[str]] = {}
    for index in ranked:
        own = [key for item, key in _said(*parts[index]) if item.repeats]
        found[index] = frozenset(key for number, key in enumerate(own) if key in said or key in own[:number])
        said.update(own)
    return {index: keys for index, keys in found.items() if keys}


def without(material: Material, keys: Collection[str]) -> tuple[Material, tuple[int, ...]]:
    """Return the material without the lines of these keys, and the former indexes of its items."""
    left = [index for index, item in enumerate(material.items) if not (item.repeats and key_of(item) in keys)]
    kept = tuple(index for at, index in enumerate(left) if not _is_bare(material, left, at))
    gone = (OmittedItem(material.path_of(item), item.line, item.source_text, "repeated")
            for index, item in enumerate(material.items) if index not in kept and not item.heads)  # fmt: skip
    items = tuple(material.items[index] for index in kept)
    return material._replace(items=items, left=(*material.left, *gone)), kept


def says(parts: Sequence[tuple[Material, frozenset[int]]]) -> frozenset[str]:
    """Return the keys of all lines that are shown."""
    return frozenset(key for material, shown in parts for _, key in _said(material, shown))


def key_of(item: MaterialItem) -> str:
    """Return the key of what a line says, without its mark, its day and its fields."""
    return comparison_key(statement(_MARKER.sub("", item.source_text.strip(), count=1)))


def _said(material: Material, shown: frozenset[int]) -> Iterator[tuple[MaterialItem, str]]:
    for index in sorted(shown):
        item = material.items[index]
        if item.repeats or "\n" not in item.source_text.strip():
            yield item, key_of(item)


def _is_bare(material: Material, left: Sequence[int], at: int) -> bool:
    """Return whether an item is a heading, and no line is left below it."""
    behind = left[at + 1] if at + 1 < len(left) else None
    return material.items[left[at]].heads and (behind is None or material.items[behind].heads)
