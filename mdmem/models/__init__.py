"""Clients of models: any program, or any OpenAI-compatible endpoint; a prompt in, the raw answer out."""

from __future__ import annotations

from collections.abc import Callable

Backend = Callable[[str], str]  # raises ModelError
Mask = Callable[[str], str]  # replaces every secret


def excerpt(output: bytes, mask: Mask, *, last: bool = False, chars: int = 300) -> str:
    """Return the beginning, or the end, of an output as one line without secrets."""
    line = " ".join(mask(output.decode("utf-8", "replace")).split())
    line = "".join(char for char in line if char.isprintable())
    if len(line) <= chars:
        return line
    return f"…{line[-chars:]}" if last else f"{line[:chars]}…"
