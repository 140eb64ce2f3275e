"""Finds the files that changed since the last look.

Hints come from the system's events, or from the clock if there are none, through one queue to one consumer. They only
name paths to examine. A batch is returned when no file was touched for a moment, so that a save in several steps is one
change.
"""

# `events` is imported only if events are used: it loads watchdog.
from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Self

from mdmem.errors import UnreadableFileError
from mdmem.settings.tables import WatchSettings

if TYPE_CHECKING:
    from mdmem.watch.events import Events

_FOLDER = getattr(os, "O_DIRECTORY", 0)  # 0: the system cannot open folders
_FLOODED = 0.5  # seconds between two examinations while events may be lost
_MOST_HINTS = 1000  # waiting hints; for more, examining all files is cheaper


class WatchedFiles(NamedTuple):
    """Which files of a folder are watched; paths are POSIX, from the root."""

    list: Callable[[str], Iterable[str]]  # returns the watched files below a folder
    wanted: Callable[[str], bool]  # whether a path may be a watched file, by its name
    skip_folders: frozenset[str]


class Batch(NamedTuple):
    """Files that are new or changed, and files that are gone."""

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


_Stamp = tuple[int, int, int, int]  # modification time, change time, size, inode


class Watcher:
    """The files of one folder; a context manager that stops its events."""

    def __init__(self, root: str, files: WatchedFiles, settings: WatchSettings, *, poll: bool = False) -> None:
        self.polling = poll  # whether the clock replaces events
        self.is_flooded = False  # whether so many events come that some may be lost; then all files are examined too
        self._root, self._files, self._settings = root, files, settings
        self._stamps: dict[str, _Stamp] = {}
        self._hints: SimpleQueue[str | None] = SimpleQueue()
        self._events: Events | None = None

    def __enter__(self) -> Self:
        try:  # while the folder is open, no other folder gets its inode
            self._descriptor = os.open(self._root, _FOLDER) if _FOLDER else None
        except OSError as error:
            raise UnreadableFileError(
                "the folder cannot be opened: {reason}", facts={"reason": error.strerror}
            ) from error
        self._folder = _identity(self._root)
        if not self.polling:
            from mdmem.watch.events import Events

            try:
                self._events = Events(self._root, self._files.wanted, self._files.skip_folders, self._hint)
            except OSError:  # the system has no more watches, or none at all
                self.polling = True
        self._stamps = dict(self._list(""))
        self._looked = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._events:
            self._events.stop()
        if self._descriptor is not None:
            os.close(self._descriptor)

    @property
    def newest(self) -> float:
        """When the newest file was written, in seconds since the epoch; 0 if there are none."""
        return max((stamp[0] for stamp in self._stamps.values()), default=0) / 1e9

    def wait(self, seconds: float) -> Batch | None:
        """Wait until files change, at most `seconds`, then return an empty batch; None if the folder is gone."""
        until = time.monotonic() + seconds
        while True:
            remaining = until - time.monotonic()
            hints = self._gather(min(max(remaining, 0), _FLOODED if self.is_flooded else self._settings.poll_ms / 1000))
            if _identity(self._root) != self._folder:
                return None
            batch = self._compare(hints)
            if any(batch) and self.polling:  # a save may be in progress
                time.sleep(self._settings.debounce_ms / 1000)
                batch = _merged(batch, self._compare({None}))
            if any(batch) or remaining <= 0:
                return batch

    def _hint(self, path: str | None) -> None:
        """Add a hint; called from the thread of the events."""
        if self._hints.qsize() < _MOST_HINTS:
            self._hints.put(path)
        elif self._hints.qsize() == _MOST_HINTS:
            self._hints.put(None)

    def _gather(self, seconds: float) -> set[str | None]:
        """Wait for a hint, then until no more come; return an empty set if none came."""
        hints: set[str | None] = set()
        with suppress(Empty):
            hints.add(self._hints.get(timeout=seconds))
            last = time.monotonic() + self._settings.burst_ms / 1000
            while (remaining := last - time.monotonic()) > 0:
                hints.add(self._hints.get(timeout=min(remaining, self._settings.debounce_ms / 1000)))
        again = self._settings.poll_ms / 1000 if self.polling else self._settings.rescan_seconds
        if time.monotonic() - self._looked >= (_FLOODED if self.is_flooded else again):
            hints.add(None)
        return hints

    def _compare(self, hints: set[str | None]) -> Batch:
        """Examine the paths of the hints; for an unknown file, its folder is listed."""
        folders = {"" if path is None else os.path.dirname(path) for path in hints if path not in self._stamps}
        if "" in folders:
            folders = {""}
            self._looked = time.monotonic()
        stamps = {path: stamp for path in hints if path in self._stamps and (stamp := self._stamp(path)) is not None}
        seen = {path for path in hints if path in self._stamps}
        for folder in folders:
            stamps |= self._list(folder)
            seen |= {path for path in self._stamps if not folder or path.startswith(f"{folder}/")}
        changed = tuple(sorted(path for path, stamp in stamps.items() if self._stamps.get(path) != stamp))
        gone = tuple(sorted(path for path in seen if path in self._stamps and path not in stamps))
        for path in gone:
            del self._stamps[path]
        self._stamps |= stamps
        return Batch(changed, gone)

    def _list(self, folder: str) -> dict[str, _Stamp]:
        return {path: stamp for path in self._files.list(folder) if (stamp := self._stamp(path)) is not None}

    def _stamp(self, path: str) -> _Stamp | None:
        try:
            info = os.stat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return None
        return info.st_mtime_ns, info.st_ctime_ns, info.st_size, info.st_ino


def _merged(earlier: Batch, later: Batch) -> Batch:
    changed = {*earlier.changed, *later.changed} - {*later.gone}
    gone = {*earlier.gone, *later.gone} - {*later.changed}
    return Batch(tuple(sorted(changed)), tuple(sorted(gone)))


def _identity(root: str) -> tuple[int, int] | None:
    """Return the identity of the folder with this name; None if there is none."""
    try:
        info = os.stat(root)
    except OSError:
        return None
    return info.st_dev, info.st_ino


def wait_for(root: str, seconds: float) -> bool:
    """Wait until a folder exists, testing every `seconds`; return False if it existed at once."""
    if os.path.isdir(root):
        return False
    while not os.path.isdir(root):
        time.sleep(seconds)
    return True
