"""The keeper as a watcher runs it: in a thread of its own, when nobody is at work."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from threading import Thread

from mdmem.core.record import NamedTuple
from mdmem.errors import MdmemError
from mdmem.workspace.config import Config
from mdmem.workspace.queue import queue
from mdmem.workspace.watch_words import Notice


class Kept(NamedTuple):
    """What a keeper did; and after how many seconds it wants to try again, where it does."""

    said: tuple[Notice, ...] = ()
    again: float | None = None


Keep = Callable[[Config], Kept]  # raises MdmemError
_SEVERITIES = {"done": "note", "refused": "warning"}  # of an outcome; of the others nobody need be told


def keep(config: Config) -> Kept:
    """Condense what waits, as `Workspace.compact` does; what was refused is tried again when its time has come.

    A file that somebody changed within `[watch] quiet_seconds` is left alone, also while the keeper is at work.
    """
    from mdmem.workspace.compact import Way, compact

    done = compact(config, None, Way(quiet=config.settings.watch.quiet))
    said = tuple(
        Notice("kept" if one.status == "done" else "refused", one.message, _SEVERITIES[one.status], one.path)
        for one in done
        if one.status in _SEVERITIES
    )
    left = {one.path for one in done if one.status in ("refused", "waiting")}
    now = dt.datetime.now().astimezone()
    times = [dt.datetime.fromisoformat(one.until) - now for path, one in queue(config).items() if path in left]
    return Kept(said, max(1.0, min(times).total_seconds()) if times else None)


class Work(Thread):
    """The keeper at work, beside the watcher, so that a slow model holds up no notice; it dies with the process."""

    def __init__(self, keep: Keep, config: Config) -> None:
        super().__init__(daemon=True)
        self.kept, self.failed = Kept(), ""
        self._keep, self._config = keep, config
        self.start()

    def run(self) -> None:
        """Work, and note what became of it."""
        self.failed = "?"
        try:
            self.kept = self._keep(self._config)
            self.failed = ""
        except MdmemError as error:
            self.failed = str(error)
