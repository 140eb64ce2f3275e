"""Converts the system's file events into hints, and decides when a folder is idle.

A hint names a path to examine; only the examination shows what has changed. Every way of saving ends in one of these
events: a file is written, closed, created, removed or moved. A move gives hints for both names. Reading gives none.
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
_FLOOD = 4096  # number of events after which some may have been lost

_LOGGER = logging.getLogger("watchdog")
_LOGGER.addHandler(logging.NullHandler())  # its messages are not printed

Hint = Callable[[str | None], None]  # a path from the root; None: examine all files


class _WarningHandler(logging.Handler):
    """Hints at all files when watchdog logs a warning: the queue of the system was full and events were lost."""

    def __init__(self, hint: Hint) -> None:
        super().__init__(logging.WARNING)
        self._hint = hint

    def emit(self, record: logging.LogRecord) -> None:  # noqa: ARG002 - the name is the base class's
        """Hint at all files; the message is ignored."""
        self._hint(None)


class Events(FileSystemEventHandler):
    """The events below a folder, passed on as hints from a thread."""

    def __init__(self, root: str, wanted: Callable[[str], bool], skip_folders: frozenset[str], hint: Hint) -> None:
        """Start the thread.

        Raises:
            OSError: the system offers no events here, or no more watches.
        """
        self._root, self._wanted, self._skip, self._hint = os.path.realpath(root), wanted, skip_folders, hint
        self._count, self._warning_handler = 0, _WarningHandler(hint)
        _LOGGER.addHandler(self._warning_handler)
        # watchdog 7 warns when a folder created during a listing is added twice, but handles it correctly
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._observer = Observer()
        try:
            self._observer.schedule(self, self._root, recursive=True, event_filter=[*_FOLDERS, *_FILES])
            self._observer.start()
        except OSError:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the thread; no hint follows."""
        _LOGGER.removeHandler(self._warning_handler)
        self._observer.stop()
        if self._observer.is_alive():
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Convert an event into hints."""
        self._count += 1
        if self._count % _FLOOD == 0:
            self._hint(None)
        for path in (event.src_path, event.dest_path):
            if path:
                self._pass_on(os.path.relpath(os.fsdecode(path), self._root), folder=event.is_directory)

    def _pass_on(self, path: str, *, folder: bool) -> None:
        parts = path.split(os.sep)
        if self._skip.intersection(parts) or parts[0] == os.pardir:
            return
        if folder:
            self._hint(None)
        elif self._wanted(path := "/".join(parts)):
            self._hint(path)


class IdleGate:
    """Decides when the keeper may run: no writes for a while, no busy lease, and no back-off."""

    def __init__(self, quiet_seconds: float, busy_seconds: float) -> None:
        self._quiet, self._busy_seconds = quiet_seconds, busy_seconds
        self._closed_until = 0.0

    def touched(self, when: float) -> None:
        """Record a write."""
        self._closed_until = max(self._closed_until, when + self._quiet)

    def rest(self, until: float) -> None:
        """Stay closed until this time in any case."""
        self._closed_until = max(self._closed_until, until)

    def wait(self, now: float, *, busy: bool) -> float:
        """Return in how many seconds to ask again; 0 if the gate is open. All times are of one clock."""
        if self._closed_until > now:
            return self._closed_until - now
        return self._busy_seconds if busy else 0.0
