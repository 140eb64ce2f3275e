"""Talks to models: any program, or any OpenAI-compatible endpoint; a prompt goes in, the raw answer comes out."""

from __future__ import annotations

from collections.abc import Callable

Backend = Callable[[str], str]  # raises ModelError
Mask = Callable[[str], str]  # puts something harmless in the place of every secret


def excerpt(said: bytes, mask: Mask, *, last: bool = False, chars: int = 300) -> str:
    """Shorten what a program or a server said to a line that may be shown: its beginning, or its end."""
    line = " ".join(mask(said.decode("utf-8", "replace")).split())
    line = "".join(char for char in line if char.isprintable())
    if len(line) <= chars:
        return line
    return f"…{line[-chars:]}" if last else f"{line[:chars]}…"
