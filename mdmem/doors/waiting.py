"""Shows what waits in the inbox."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint, safe
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.workspace.inbox import Item


_FEW = 6  # characters of a key, where they are enough to tell one from another


def show(found: Sequence[Item], lang: str, *, as_json: bool) -> None:
    """Print what waits as a table, each proposal with its changed lines below; or as one JSON object."""
    say, paint = words(lang), Paint(sys.stdout)
    if as_json:
        emit.json({"waiting": [one._asdict() for one in found]})
        return
    if not found:
        print(say["no-inbox"])
        return
    few = _FEW if len({one.key[:_FEW] for one in found}) == len(found) else None
    rows = [(one.key[:few], one.to, one.by, one.text) for one in found]
    header = [say[key] for key in ("key", "to", "actor", "text")]
    first, *lines = table(header, rows, ("dim", "path", "", ""), paint)
    print(first)
    for one, line in zip(found, lines, strict=True):
        print("\n".join((line, *(f"  {_painted(change, paint)}" for change in one.change.splitlines()))))
    print(paint("dim", say["inbox-hint"]))


def _painted(line: str, paint: Paint) -> str:
    """Colour a line of a proposed change by its sign."""
    return paint({"+": "fix", "-": "error"}.get(line[:1], "dim"), safe(line))
