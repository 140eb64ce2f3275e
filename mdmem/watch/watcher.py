"""Says which files changed since the last look: hints wake it, and only a look decides.

One queue, one consumer: hints come from the system's events, or from the clock where there are none. A batch is given
when nobody has touched the files for a moment, so that a save in several steps is one change.
"""

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

_FOLDER = getattr(os, "O_DIRECTORY", 0)  # 0: folders cannot be opened here
_FLOODED = 0.5  # seconds between two looks while events may be lost
_MOST_HINTS = 1000  # waiting; beyond them one look at everything is cheaper


class WatchedFiles(NamedTuple):
    """Which files of a folder are watched; paths are POSIX, from the root."""

    list: Callable[[str], Iterable[str]]  # those below a folder
    wanted: Callable[[str], bool]  # whether a path may be one of them, by its name
    skip_folders: frozenset[str]


class Batch(NamedTuple):
    """Files that are new or other than before, and files that are no longer there."""

    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


Look = tuple[int, int, int, int]  # when written, when touched, how large, which file


class Watcher:
    """The files of one folder; a context manager that ends its events."""

    def __init__(self, root: str, files: WatchedFiles, settings: WatchSettings, *, poll: bool = False) -> None:
        self.polling = poll  # whether the clock takes the place of events
        self.is_flooded = False  # whether so many events come that some may be lost: then the files are looked at too
        self._root, self._files, self._settings = root, files, settings
        self._known: dict[str, Look] = {}
        self._hints: SimpleQueue[str | None] = SimpleQueue()
        self._events: Events | None = None

    def __enter__(self) -> Self:
        try:  # a folder that is held open lends its number to no other
            self._held = os.open(self._root, _FOLDER) if _FOLDER else None
        except OSError as error:
            raise UnreadableFileError(
                "the folder cannot be opened: {reason}", facts={"reason": error.strerror}
            ) from error
        self._folder = _identity(self._root)
        if not self.polling:
            from mdmem.watch.events import Events

            try:
                self._events = Events(self._root, self._files.wanted, self._files.skip_folders, self._hint)
            except OSError:  # no more watches, or none at all
                self.polling = True
        self._known = dict(self._look(""))
        self._looked = time.monotonic()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._events:
            self._events.stop()
        if self._held is not None:
            os.close(self._held)

    @property
    def newest(self) -> float:
        """When the youngest of the files was written, in seconds since the epoch; 0 where there are none."""
        return max((look[0] for look in self._known.values()), default=0) / 1e9

    def wait(self, seconds: float) -> Batch | None:
        """Wait until files change, at most so many seconds: then the batch is empty. None: the folder is gone."""
        until = time.monotonic() + seconds
        while True:
            left = until - time.monotonic()
            hints = self._gather(min(max(left, 0), _FLOODED if self.is_flooded else self._settings.poll_ms / 1000))
            if _identity(self._root) != self._folder:
                return None
            batch = self._compare(hints)
            if any(batch) and self.polling:  # a look may come in the middle of a save
                time.sleep(self._settings.debounce_ms / 1000)
                batch = _joined(batch, self._compare({None}))
            if any(batch) or left <= 0:
                return batch

    def _hint(self, path: str | None) -> None:
        """Take a hint; called from the thread of the events."""
        if self._hints.qsize() < _MOST_HINTS:
            self._hints.put(path)
        elif self._hints.qsize() == _MOST_HINTS:
            self._hints.put(None)

    def _gather(self, seconds: float) -> set[str | None]:
        """Wait for a hint, then until no more come; none came where it is empty."""
        hints: set[str | None] = set()
        with suppress(Empty):
            hints.add(self._hints.get(timeout=seconds))
            last = time.monotonic() + self._settings.burst_ms / 1000
            while (left := last - time.monotonic()) > 0:
                hints.add(self._hints.get(timeout=min(left, self._settings.debounce_ms / 1000)))
        again = self._settings.poll_ms / 1000 if self.polling else self._settings.look_again_seconds
        if time.monotonic() - self._looked >= (_FLOODED if self.is_flooded else again):
            hints.add(None)
        return hints

    def _compare(self, hints: set[str | None]) -> Batch:
        """Look at what the hints name; a file that is not known yet is looked for where it would be listed."""
        folders = {"" if path is None else os.path.dirname(path) for path in hints if path not in self._known}
        if "" in folders:
            folders = {""}
            self._looked = time.monotonic()
        now = {path: look for path in hints if path in self._known and (look := self._at(path)) is not None}
        seen = {path for path in hints if path in self._known}
        for folder in folders:
            now |= self._look(folder)
            seen |= {path for path in self._known if not folder or path.startswith(f"{folder}/")}
        changed = tuple(sorted(path for path, look in now.items() if self._known.get(path) != look))
        gone = tuple(sorted(path for path in seen if path in self._known and path not in now))
        for path in gone:
            del self._known[path]
        self._known |= now
        return Batch(changed, gone)

    def _look(self, folder: str) -> dict[str, Look]:
        return {path: look for path in self._files.list(folder) if (look := self._at(path)) is not None}

    def _at(self, path: str) -> Look | None:
        try:
            found = os.stat(os.path.join(self._root, path))
        except (OSError, ValueError):
            return None
        return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


def _joined(one: Batch, later: Batch) -> Batch:
    changed = {*one.changed, *later.changed} - {*later.gone}
    gone = {*one.gone, *later.gone} - {*later.changed}
    return Batch(tuple(sorted(changed)), tuple(sorted(gone)))


def _identity(root: str) -> tuple[int, int] | None:
    """Tell which folder has this name now; None for none."""
    try:
        found = os.stat(root)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def wait_for(root: str, seconds: float) -> bool:
    """Wait until there is a folder of this name, looking every so many seconds; False where it was there at once."""
    if os.path.isdir(root):
        return False
    while not os.path.isdir(root):
        time.sleep(seconds)
    return True
