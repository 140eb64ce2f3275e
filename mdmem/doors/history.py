"""Shows what was changed: the log as a table, and a change as a diff."""

from __future__ import annotations

import datetime as dt
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.doors import diffs, emit
from mdmem.doors.outcome import transaction
from mdmem.doors.table import table
from mdmem.doors.terminal import Paint
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.store.record import Transaction
    from mdmem.workspace import Workspace


def log_json(found: Sequence[Transaction]) -> None:
    """Print the changes as one JSON object, newest first."""
    emit.json({"transactions": [transaction(one) for one in found]})


def log_table(found: Sequence[Transaction], workspace: Workspace, none: str = "no-log") -> None:
    """Print changes as a table, newest first; `none` is the word where there are none."""
    say, paint = words(workspace.lang), Paint(sys.stdout)
    if not found:
        print(say[none])
        return
    rows = [
        (_id(one), local(one.time), one.actor, _lines(workspace.diff(one.id)), one.reason, _files(one)) for one in found
    ]
    header = [say[key] for key in ("id", "time", "actor", "lines", "reason", "files")]
    print("\n".join(table(header, rows, ("dim", "", "", "note", "", "path"), paint)))


def show_diff(diff: str, lang: str, *, as_json: bool) -> None:
    """Print a unified diff, coloured on a terminal."""
    if as_json:
        emit.json({"diff": diff})
    elif diff:
        emit.raw(diffs.full(diff, Paint(sys.stdout)))
    else:
        print(words(lang)["no-diff"])


def local(time: str) -> str:
    """Write a time as this place's clock showed it, to the minute."""
    return dt.datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def _lines(diff: str) -> str:
    added, removed = diffs.count(diff)
    return " ".join(f"{sign}{number}" for sign, number in (("+", added), ("−", removed)) if number)


def _id(change: Transaction) -> str:
    """Give the part of an id that `diff` and `undo` take; the rest is the time."""
    return change.id.rpartition("-")[2]


def _files(change: Transaction) -> str:
    return ", ".join(one.path for one in change.files)
