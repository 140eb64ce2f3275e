"""The system's file events as hints: which path to look at again. What is true of it only a look tells.

Every way an editor saves ends in one of these: a file written, closed, made, removed, or moved, and of a move both
names count. Reading is no event here.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

_FOLDERS: list[type[FileSystemEvent]] = [DirCreatedEvent, DirDeletedEvent, DirMovedEvent]
_FILES: list[type[FileSystemEvent]] = [
    FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent,
]  # fmt: skip
_FLOOD = 4096  # events after which some may have been lost on the way

_LOGGER = logging.getLogger("watchdog")
_LOGGER.addHandler(logging.NullHandler())  # what it logs is not for the terminal

Hint = Callable[[str | None], None]  # a path from the root; None: look at everything


class _Complaints(logging.Handler):
    """Asks for a look at everything when watchdog logs a warning: the system's queue was full, and events are lost."""

    def __init__(self, hint: Hint) -> None:
        super().__init__(logging.WARNING)
        self._hint = hint

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - the name is the base class's
        """Take a message; its text does not matter."""
        self._hint(None)


class Events(FileSystemEventHandler):
    """The events below a folder, handed on as hints from a thread of their own."""

    def __init__(self, root: str, wanted: Callable[[str], bool], skip_folders: frozenset[str], hint: Hint) -> None:
        """Begin.

        Raises:
            OSError: the system gives no events here, or has no more watches to give.
        """
        self._root, self._wanted, self._skip, self._hint = os.path.realpath(root), wanted, skip_folders, hint
        self._count, self._complaints = 0, _Complaints(hint)
        _LOGGER.addHandler(self._complaints)
        # a folder that is made while its parent is listed is added twice, which watchdog 7 warns of and does rightly
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._observer = Observer()
        try:
            self._observer.schedule(self, self._root, recursive=True, event_filter=[*_FOLDERS, *_FILES])
            self._observer.start()
        except OSError:
            self.stop()
            raise

    def stop(self) -> None:
        """End; no hint comes after this."""
        _LOGGER.removeHandler(self._complaints)
        self._observer.stop()
        if self._observer.is_alive():
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Turn an event into hints."""
        self._count += 1
        if self._count % _FLOOD == 0:
            self._hint(None)
        for found in (event.src_path, event.dest_path):
            if found:
                self._pass_on(os.path.relpath(os.fsdecode(found), self._root), folder=event.is_directory)

    def _pass_on(self, path: str, *, folder: bool) -> None:
        parts = path.split(os.sep)
        if self._skip.intersection(parts) or parts[0] == os.pardir:
            return
        if folder:
            self._hint(None)
        elif self._wanted(path := "/".join(parts)):
            self._hint(path)


class IdleGate:
    """Opens when nobody has written for a while, nobody says to be busy, and it is not too soon to try again."""

    def __init__(self, quiet_seconds: float, look_seconds: float) -> None:
        self._quiet, self._look = quiet_seconds, look_seconds
        self._from = 0.0

    def touched(self, when: float) -> None:
        """Note that somebody wrote."""
        self._from = max(self._from, when + self._quiet)

    def rest(self, until: float) -> None:
        """Stay closed until then, whatever happens."""
        self._from = max(self._from, until)

    def wait(self, now: float, *, busy: bool) -> float:
        """Tell in how many seconds it is worth asking again; 0: it is open. Times are of one clock."""
        if self._from > now:
            return self._from - now
        return self._look if busy else 0.0
