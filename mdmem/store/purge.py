"""Finds and removes what the state folder still holds of a text: versions, displaced files, reasons, indexes.

Only `forget` comes here: it is the one way in which a version leaves the history before its time.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from mdmem.core.record import NamedTuple
from mdmem.errors import UnreadableFileError
from mdmem.store import graves
from mdmem.store.history import OBJECTS, History
from mdmem.store.journal import ASIDE, is_temporary
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_DERIVED = ("queue.json",)  # made again from the files


class Trace(NamedTuple):
    """Something in the state folder that holds a text, or that may hold it, for it cannot be read."""

    what: str  # version, grave, line, derived, unread
    name: str  # digest, path, id of a transaction
    reason: str = ""  # why it cannot be read


def traces(root: Root, regex: re.Pattern[str], clean: set[str]) -> Iterator[Trace]:
    """Look through everything in the state folder; what cannot be read is given as such.

    `clean` are the versions that are known not to hold the text, and gets those that are found so: a version never
    changes, so that a second look reads only what was written since the first.
    """
    history = History(root, 0)
    try:
        digests = list(history.objects())
    except OSError as error:
        digests = []
        yield Trace("unread", OBJECTS, error.strerror or "")
    for digest in digests:
        if digest not in clean:
            found = list(_looked("version", f"{OBJECTS}/{digest}", digest, partial(history.raw, digest), regex))
            clean.update(() if found else (digest,))
            yield from found
    unread: list[OSError] = []
    for path in _below(root, STATE_FOLDER, unread.append):
        if path.startswith((f"{graves.FOLDER}/", f"{ASIDE}/")) or is_temporary(os.path.basename(path)):
            yield from _looked("grave", path, path, partial(_data, root, path), regex)
    yield from (Trace("unread", inside(root.path, one), one.strerror or "") for one in unread)
    try:
        yield from [Trace("line", one.id) for one in history.explained(regex)]
    except UnreadableFileError as error:
        yield Trace("unread", error.path, error.message)
    for name in _DERIVED:
        if os.path.lexists(os.path.join(root.path, STATE_FOLDER, name)):
            yield Trace("derived", f"{STATE_FOLDER}/{name}")


def _looked(
    what: str, path: str, name: str, load: Callable[[], bytes | None], regex: re.Pattern[str]
) -> Iterator[Trace]:
    try:
        data = load()
    except UnreadableFileError as error:
        yield Trace("unread", path, error.message)
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            yield Trace("unread", path, error.strerror or "")
    else:
        if data is not None and regex.search(data.decode("utf-8", "surrogateescape")):
            yield Trace(what, name)


def purge(root: Root, found: Iterable[Trace], lock_seconds: float) -> None:
    """Remove them; a line of the log only loses its reason. Raises OSError, LockedError, WriteError."""
    history = History(root, lock_seconds)
    lines = set()
    for one in found:
        if one.what == "version":
            history.drop(one.name)
        elif one.what == "line":
            lines.add(one.name)
        elif one.what != "unread":
            name = root.place(one.name).name
            os.unlink(name.name, dir_fd=name.folder)
    if lines:
        history.rewrite(lambda line: line._replace(reason="") if line.id in lines else line)


def inside(root: str, error: OSError) -> str:
    """Return the path, from the root, of the folder that an error is about."""
    whole = isinstance(error.filename, str) and os.path.isabs(error.filename)  # else it lies in a folder of ours
    return os.path.relpath(error.filename, root).replace(os.sep, "/") if whole else STATE_FOLDER


def _data(root: Root, path: str) -> bytes | None:
    found = read(root.place(path))
    return found.data if found else None


def _below(root: Root, folder: str, unread: Callable[[OSError], None]) -> Iterator[str]:
    def missed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            unread(error)

    for above, _, names in os.walk(os.path.join(root.path, folder), onerror=missed):
        below = os.path.relpath(above, root.path).replace(os.sep, "/")
        yield from (f"{below}/{name}" for name in sorted(names))
