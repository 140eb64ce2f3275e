"""Shows what waits in the inbox."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import diffs, emit
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.workspace.inbox import Item


def show(found: Sequence[Item], lang: str, *, as_json: bool) -> None:
    """Print what waits as a table, each proposal with its changed lines below; or as one JSON object."""
    say, paint = words(lang), Paint(sys.stdout)
    if as_json:
        emit.json({"waiting": [one._asdict() for one in found]})
        return
    if not found:
        print(say["no-inbox"])
        return
    rows = [(one.key, one.to, one.by, one.text) for one in found]
    header = [say[key] for key in ("key", "to", "actor", "text")]
    first, *lines = table(header, rows, ("dim", "path", "", ""), paint)
    print(first)
    for one, line in zip(found, lines, strict=True):
        print("\n".join((line, *diffs.short(one.change, paint, say["more"]))))
    print(paint("dim", say["inbox-hint"]))
