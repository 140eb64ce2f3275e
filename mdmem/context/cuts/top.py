"""The most important first, by what they say and how new they are; of equals the later one."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:  # noqa: ARG001 - every cut is asked alike
    """Take the items by what they are worth."""
    return kept_first(items, sorted(items, key=lambda index: (-items[index].worth, -index)))
