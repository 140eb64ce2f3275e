"""Shows the pins as a table, or as JSON."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.table import columns, shorten, table
from mdmem.doors.terminal import Paint
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.core.pin import Pin

_FEW = 6  # characters of a key, where they are enough to tell one from another


def show(found: Sequence[Pin], lang: str, *, as_json: bool) -> None:
    """Print the pins, one a line; what is over is marked."""
    say, paint = words(lang), Paint(sys.stdout)
    if as_json:
        emit.json({"pins": [pin._asdict() for pin in found]})
        return
    if not found:
        print(say["no-pins"])
        return
    short = len({pin.key[:_FEW] for pin in found}) == len(found)
    rows = [
        (
            pin.key[:_FEW] if short else pin.key,
            pin.type,
            f"{pin.until} {say['over']}" if pin.expired else pin.until,
            shorten(pin.source, max(16, columns() // 4)),
            f"{pin.title}: {pin.summary}" if pin.title else pin.summary,
        )
        for pin in found
    ]
    header = [say[key] for key in ("key", "type", "until", "source", "pin")]
    print("\n".join(table(header, rows, ("dim", "note", "", "path", ""), paint)))
