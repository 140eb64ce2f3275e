"""Counts tokens, each text once."""

from __future__ import annotations

from collections.abc import Callable

TokenCounter = Callable[[str], int]


class Counter:
    """A token counter that remembers what it counted."""

    def __init__(self, count: TokenCounter) -> None:
        self._count = count
        self._known: dict[str, int] = {"": 0}

    def __call__(self, text: str) -> int:
        """Count the tokens of a text; nothing has none."""
        if text not in self._known:
            self._known[text] = self._count(text)
        return self._known[text]
