"""Removes what gives orders to a model from a text that goes into a model's context. Pure."""

from __future__ import annotations

from mdmem.linter.detect.decoded_views import DecodedView, decoded_views
from mdmem.linter.detect.prompt_injection import find_prompt_injection


def without_orders(text: str) -> str:
    """Return a text without the lines, or else the paragraphs, that give orders to a model."""
    for separator in ("\n", "\n\n"):
        if not _gives_orders(text):
            return text
        text = separator.join(part for part in text.split(separator) if not _gives_orders(part))
    return "" if _gives_orders(text) else text


def _gives_orders(text: str) -> bool:
    return any(True for view in decoded_views(DecodedView(text)) for _ in find_prompt_injection(view))
