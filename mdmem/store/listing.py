"""Which files a walk finds, remembered as long as nothing it looked into looks changed.

A folder's times tell when a name in it comes or goes; what its files hold is nobody's business here. So a second look
costs one question for each folder, and no listing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Sequence

from mdmem.store.walk import Walk

_RESTED = 2_000_000_000  # nanoseconds since the last change after which any clock must have ticked
Look = tuple[int, int, int]


def look(path: str) -> Look | None:
    """Give what changes when a folder or a file does; None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_ino


def rested(seen: Look | None, now: int) -> bool:
    """Tell whether what looked so had not been changed for so long that the next change must look different."""
    return seen is not None and now - max(seen[:2]) > _RESTED


class Listing:
    """The files of one walk."""

    def __init__(self, walk: Walk, keep: Callable[[str], bool]) -> None:
        """Bind to a walk; `keep` says of a path whether it counts."""
        self._walk, self._keep = walk, keep
        self._without: Collection[str] = ()
        self._names: Sequence[str] = ()
        self._seen: dict[str, Look | None] = {"": None}  # never so

    def names(self, without: Collection[str] = ()) -> Sequence[str]:
        """Give the files, as `Walk.files` does, without those below some folders."""
        above = os.path.join(self._walk.root, "")
        if without != self._without or any(look(above + path) != seen for path, seen in self._seen.items()):
            now, looks = time.time_ns(), {}

            def into(path: str) -> None:
                seen = look(above + path)
                looks[path] = seen if rested(seen, now) else None

            self._names = [path for path in self._walk.files(without=without, into=into) if self._keep(path)]
            self._seen, self._without = looks, without
        return self._names
