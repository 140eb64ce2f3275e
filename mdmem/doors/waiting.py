"""Shows what waits in the inbox."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.workspace.inbox import Waiting


def show(found: Sequence[Waiting], lang: str, *, as_json: bool) -> None:
    """Print what waits as a table, or as one JSON object."""
    say, paint = words(lang), Paint(sys.stdout)
    if as_json:
        emit.json({"waiting": [one._asdict() for one in found]})
        return
    if not found:
        print(say["no-inbox"])
        return
    header = [say[key] for key in ("key", "to", "text")]
    print("\n".join(table(header, [(one.key, one.to, one.text) for one in found], ("dim", "path", ""), paint)))
    print(paint("dim", say["inbox-hint"]))
