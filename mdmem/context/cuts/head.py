"""From the beginning on, as far as there is room (D038)."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.context.cuts.order import Order, Shape, kept_first
from mdmem.context.material import Item


def order(items: Mapping[int, Item], shape: Shape) -> Order:  # noqa: ARG001 - every cut is asked alike
    """Take the items as they stand."""
    return kept_first(items, items)
