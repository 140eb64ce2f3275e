"""Puts away the temporaries that nobody owns, which a power cut may leave."""

from __future__ import annotations

import datetime as dt
import os

from mdmem.store.history import History
from mdmem.store.journal import Journal, is_temporary
from mdmem.store.root import Root, read

_OLD = 3600  # seconds; no change takes so long


def sweep(root: Root, now: dt.datetime) -> int:
    """Remove what is left over and old; a temporary goes into the history first, for it may hold somebody's save."""
    history, done = History(root, 0), 0
    owned = {path for pending in Journal(root).pending() for path in pending.temporaries.values()}
    for path in _strays(root.path):
        place = root.place(path)
        found = read(place)
        if path in owned or found is None or now.timestamp() - found.stat.st_mtime < _OLD:
            continue
        history.keep(found.data)
        os.unlink(place.name.name, dir_fd=place.name.folder)
        done += 1
    return done


def _strays(top: str) -> list[str]:
    found = []
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name != ".git"]
        found += [os.path.relpath(os.path.join(folder, name), top) for name in names if is_temporary(name)]
    return sorted(path.replace(os.sep, "/") for path in found)
