"""Finds and removes what the state folder still holds of a text: versions, displaced files, reasons, indexes.

Only `forget` comes here: it is the one way in which a version leaves the history before its time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from mdmem.core.record import NamedTuple
from mdmem.store import graves
from mdmem.store.history import History
from mdmem.store.recovery import is_temporary
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_DERIVED = ("queue.json",)  # made again from the files


class Trace(NamedTuple):
    """Something in the state folder that holds a text."""

    what: str  # version, grave, line, derived
    name: str  # digest, path, id of a transaction


def traces(root: Root, regex: re.Pattern[str]) -> Iterator[Trace]:
    """Look through everything in the state folder; raises OSError where something cannot be looked into."""
    history = History(root, 0)
    for digest in history.objects():
        data = history.raw(digest)
        if data is not None and _holds(data, regex):
            yield Trace("version", digest)
    for path in _below(root, STATE_FOLDER):
        displaced = path.startswith(f"{graves.FOLDER}/") or is_temporary(os.path.basename(path))
        found = read(root.place(path)) if displaced else None
        if found and _holds(found.data, regex):
            yield Trace("grave", path)
    yield from (Trace("line", one.id) for one in history.log() if regex.search(one.reason))
    for name in _DERIVED:
        if os.path.lexists(os.path.join(root.path, STATE_FOLDER, name)):
            yield Trace("derived", f"{STATE_FOLDER}/{name}")


def purge(root: Root, found: Iterable[Trace], lock_seconds: float) -> None:
    """Remove them; a line of the log only loses its reason. Raises OSError, LockedError, WriteError."""
    history = History(root, lock_seconds)
    lines = set()
    for one in found:
        if one.what == "version":
            history.drop(one.name)
        elif one.what == "line":
            lines.add(one.name)
        else:
            name = root.place(one.name).name
            os.unlink(name.name, dir_fd=name.folder)
    if lines:
        history.rewrite(lambda line: line._replace(reason="") if line.id in lines else line)


def missed(error: OSError) -> None:
    """Let no walk pass over a folder in silence, unless it is gone."""
    if not isinstance(error, FileNotFoundError):
        raise error


def _holds(data: bytes, regex: re.Pattern[str]) -> bool:
    return regex.search(data.decode("utf-8", "surrogateescape")) is not None


def _below(root: Root, folder: str) -> Iterator[str]:
    for above, _, names in os.walk(os.path.join(root.path, folder), onerror=missed):
        for name in sorted(names):
            yield os.path.relpath(os.path.join(above, name), root.path).replace(os.sep, "/")
