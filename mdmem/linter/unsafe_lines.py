"""Removes what gives orders to a model, or speaks as another role, from a text for a model's context. Pure."""

from __future__ import annotations

from mdmem.linter.detect.decoded_views import DecodedView, decoded_views
from mdmem.linter.detect.prompt_injection import find_prompt_injection, find_role_tags

_FINDERS = (find_prompt_injection, find_role_tags)


def without_orders(text: str) -> str:
    """Return a text without the lines, or else the paragraphs, that give orders to a model or name another speaker."""
    for separator in ("\n", "\n\n"):
        if not _gives_orders(text):
            return text
        text = separator.join(part for part in text.split(separator) if not _gives_orders(part))
    return "" if _gives_orders(text) else text


def _gives_orders(text: str) -> bool:
    return any(True for view in decoded_views(DecodedView(text)) for find in _FINDERS for _ in find(view))
