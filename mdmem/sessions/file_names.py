"""Lists session files by name: newest first, and the days on which sessions began."""

from __future__ import annotations

import datetime as dt
import os
import re
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property, lru_cache

from mdmem.formats.session import FOLDERS
from mdmem.store.files import is_outside
from mdmem.text.pattern import pattern

ARCHIVED = "archive/sessions"  # old sessions, which `session prune` moves there
_RESTED = 2_000_000_000  # nanoseconds: a folder that changed later may change again within the same tick of its clock
_DAY_CHARS = 10  # characters of a name that may hold a day: 2026-02-13, or 20260213_2
_DAY = pattern(r"(\d{4})-?(\d\d)-?(\d\d)(?!\d)")
_NAME = pattern(r"\d{4}(-?)\d{2}\1\d{2}(?:_[^/]*)?\.md\Z", re.ASCII)


class SessionNames:
    """The names in one session folder, as listed."""

    def __init__(self, names: list[str]) -> None:
        self._names = [name for name in names if name.endswith(".md")]

    @cached_property
    def newest_first(self) -> tuple[str, ...]:
        """Return the names that begin with a day, by their stamps, newest first."""
        return tuple(sorted(filter(_NAME.match, self._names), key=stamp, reverse=True))

    @cached_property
    def days(self) -> tuple[dt.date, ...]:
        """Return the day of each name that has one, sorted."""
        found: list[dt.date] = []
        for start, count in Counter([name[:_DAY_CHARS] for name in self._names]).items():
            match = _DAY.match(start)
            with suppress(ValueError):
                if match:
                    found += [dt.date(*map(int, match.groups()))] * count
        return tuple(sorted(found))


class _Listing:
    """The cached listing of one folder."""

    def __init__(self, root: str, folder: str) -> None:
        self._root, self._folder, self._key = root, os.path.join(root, folder), (0, 0, 0)
        self._names = SessionNames([])

    def read(self) -> SessionNames:
        """List the folder; reuse the last listing if the folder has not changed since."""
        try:
            status = os.stat(self._folder)
            key = (status.st_dev, status.st_ino, status.st_mtime_ns)
            if key != self._key:
                rested = time.time_ns() - status.st_mtime_ns > _RESTED
                self._names, self._key = SessionNames(self._files()), key if rested else (0, 0, 0)
        except OSError:
            self._names, self._key = SessionNames([]), (0, 0, 0)
        return self._names

    def _files(self) -> list[str]:
        """Return the names of the files; a FIFO, a folder or a link that leads out of the workspace is none."""
        with os.scandir(self._folder) as entries:
            return [one.name for one in entries if one.is_file(follow_symlinks=False) or self._is_inside(one)]

    def _is_inside(self, entry: os.DirEntry[str]) -> bool:
        return entry.is_symlink() and entry.is_file() and not is_outside(entry.path, self._root)


def session_names(root: str, folders: Sequence[str] = FOLDERS) -> tuple[SessionNames, ...]:
    """Return the names in each session folder of a workspace."""
    return tuple(_listing(root, folder).read() for folder in folders)


@lru_cache(maxsize=32)
def _listing(root: str, folder: str) -> _Listing:
    return _Listing(root, folder)


def stamp(name: str) -> str:
    """Return a name with its date as YYYYMMDD, so that names sort by time, and `task-2` behind `task`."""
    name = name.removesuffix(".md")
    return name.replace("-", "", 2) if name[4:5] == "-" else name
