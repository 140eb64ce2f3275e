"""Tells what was forgotten, or would be: every place, and what is left to the person."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from mdmem.doors import emit
from mdmem.doors.outcome import headline, transaction
from mdmem.doors.terminal import Paint, safe
from mdmem.doors.words import words
from mdmem.errors import UnreadableFileError

if TYPE_CHECKING:
    from mdmem.workspace.forget import Forgotten


def tell(found: Forgotten, lang: str, *, as_json: bool) -> int:
    """Print what became of a forgetting, and give the exit code: 1 for nothing found, 5 for a part unread."""
    if as_json:
        values = found._asdict() | {"places": [one._asdict() for one in found.places]}
        values |= {"unread": [one._asdict() for one in found.unread]}
        emit.json(values | {"transaction": transaction(found.transaction)})
    else:
        print("\n".join(_lines(found, lang, Paint(sys.stdout))))
    return UnreadableFileError.exit_code if found.unread else int(found.status == "unchanged")


def _lines(found: Forgotten, lang: str, paint: Paint) -> list[str]:
    """Word it for a person: the places in files line by line, those in mdmem's own folder counted."""
    say, out = words(lang), [headline(found.status, found.message, paint)]
    for one in found.places:
        if one.path:
            place = f"{one.path}:{one.line}" if one.line else one.path
            shown = f"  {safe(one.text)}" if one.text else ""
            out.append(f"  {paint('path', safe(place))}  {paint('dim', say[one.what])}{shown}")
    own = [one.what for one in found.places if not one.path]
    out += [f"  {say[what]}  {paint('dim', f'× {own.count(what)}')}" for what in dict.fromkeys(own)]
    return [*out, f"  {paint('dim', safe(found.hint))}"] if found.hint else out
