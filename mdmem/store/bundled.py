"""Where mdmem's own templates lie: in the wheel beside the code, in a checkout one folder up."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from mdmem.store.files import read_bytes

_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def code_folder() -> str:
    """Give the folder of mdmem's own code."""
    return _HERE


def templates_folder() -> str:
    """Give the folder of the shipped templates."""
    inside = os.path.join(_HERE, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(_HERE), "templates")


def templates(folder: str) -> Iterator[tuple[str, str, bytes]]:
    """Read the templates of a folder as (language, name, bytes): `zh/MEMORY.md`, `en/MEMORY.md`, …

    A folder without language folders holds templates of no language; they come with an empty one.
    """
    for lang in ("", "zh", "en"):
        place = os.path.join(folder, lang)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            for name in sorted(os.listdir(place)):
                if name.endswith(".md") and os.path.isfile(os.path.join(place, name)):
                    shown = "/".join(part for part in ("templates", lang, name) if part)
                    yield lang, shown, read_bytes(os.path.join(place, name), shown)
