"""The folders of evidence, a month each: files there never change, so a folder that did not change is not looked into.

A hundred thousand tool runs would else cost every search a second. What an editor saves in place in such a file is seen
by the next process, or when its folder changes; till then the file answers nothing, for its content is another.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator

from mdmem.core.artifact import FOLDER
from mdmem.core.pattern import pattern
from mdmem.store.listing import Look, look, rested

_MONTH = pattern(r"\d{4}-\d{2}\Z")
Files = list[tuple[str, os.stat_result]]


class Months:
    """Remembers what the months' folders held, by their times."""

    def __init__(self, above: str) -> None:
        """Bind to a workspace; `above` is its root, with a separator behind."""
        self._above = above
        self._known: dict[str, tuple[Look | None, Files]] = {}

    def folders(self) -> list[str]:
        """Give the folders, POSIX from the root, oldest first."""
        try:
            names = [] if os.path.islink(self._above + FOLDER) else os.listdir(self._above + FOLDER)
        except OSError:
            return []
        return [f"{FOLDER}/{name}" for name in sorted(names) if _MONTH.match(name)]

    def files(
        self, folder: str, find: Callable[[], Iterable[tuple[str, os.stat_result]]]
    ) -> Iterator[tuple[str, os.stat_result]]:
        """Give a folder's files as they were, if it did not change since, else as `find` finds them."""
        now, seen = time.time_ns(), look(self._above + folder)
        known = self._known.get(folder)
        if known is None or known[0] != seen:
            known = seen, [] if os.path.islink(self._above + folder) else list(find())
            if rested(seen, now):
                self._known[folder] = known
        yield from known[1]
