"""Shows what the doctor found."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.terminal import Paint, safe

if TYPE_CHECKING:
    from mdmem.workspace.doctor import Check

_MARKS = {"good": ("good", "✓"), "weaker": ("warning", "!"), "bad": ("error", "✗")}


def show(found: Sequence[Check], *, as_json: bool) -> int:
    """Print each check in a line, with what to do about it; gives 1 where something is broken."""
    if as_json:
        emit.json({"checks": [one._asdict() for one in found]})
    else:
        print("\n".join(_lines(found, Paint(sys.stdout))))
    return int(any(one.state == "bad" for one in found))


def _lines(found: Sequence[Check], paint: Paint) -> list[str]:
    out = []
    for one in found:
        style, mark = _MARKS[one.state]
        out.append(f"{paint(style, mark)} {safe(one.message)}")
        if one.hint:
            out.append(f"  {paint('dim', safe(one.hint))}")
    return out
