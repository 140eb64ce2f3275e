"""`.mdmem/night.json`: the lease of the run that is at work, its step and items, and what a model has kept apart.

All work is found in the memory files. Whoever deletes this file loses the counts of an interrupted step, no work.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import platform
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import ConfigError, LockedError
from mdmem.keeper.busy import BusyLease, has_exited
from mdmem.messages.catalog import say
from mdmem.store import locks
from mdmem.store.durable import write_new
from mdmem.store.root import Root, read
from mdmem.store.walk import SETTINGS_FILE

_NAME = "night.json"  # in the state folder
_MOST_BYTES = 5_000_000
_JUDGED = 2000  # clusters that are remembered; the oldest are dropped


class PlannedItem(NamedTuple):
    """What an item was planned to do, so that an interrupted run can be counted."""

    entries: int
    merged: int
    moved: int


class NightState(NamedTuple):
    """What an interrupted or finished run left."""

    day: str = ""
    run: str = ""  # names the run
    step: str = ""  # the one that it was at
    items: dict[str, PlannedItem] = {}  # noqa: RUF012 - not modified
    calls: int = 0  # questions to the model in this step
    tokens: int = 0
    ended: bool = False
    judged: tuple[str, ...] = ()  # clusters that a model kept apart
    until: float = 0.0  # when the lease ends, in seconds since the epoch
    pid: int = 0
    host: str = ""


def read_state(config: WorkspaceConfig) -> NightState:
    """Return the state; an empty one if there is none or it cannot be read."""
    with Root(config.root) as root:
        return _read(root, config.state_file(_NAME))


def start_time(config: WorkspaceConfig) -> dt.time:
    """Return the hour of `[night] at`.

    Raises:
        ConfigError: it is none.
    """
    text = config.settings.night.at
    hour, colon, minute = text.partition(":")
    if colon and all(part.isascii() and part.isdecimal() and len(part) <= len("00") for part in (hour, minute)):
        with suppress(ValueError):
            return dt.time(int(hour), int(minute))
    raise ConfigError(
        "`night.at` must be a time of day, HH:MM", path=SETTINGS_FILE, hint='as in `at = "03:00"`', facts={}
    )


def is_due(config: WorkspaceConfig, now: dt.datetime) -> bool:
    """Return True if the night of this day is switched on and has not come to its end, and its hour is past."""
    settings = config.settings
    if not (settings.night.enabled and settings.memory.enabled) or now.time() < start_time(config):
        return False
    state = read_state(config)
    return not (state.day == config.day and state.ended) and state.until <= time.time()


class NightLease:
    """The right to be the only run; it ends when nobody renews it for `[night] lease_seconds`."""

    def __init__(self, config: WorkspaceConfig, run: str) -> None:
        """Take the lease; one that has ended, or whose process is gone, is taken over.

        Raises:
            LockedError: another run is at work.
        """
        self._config, self._run = config, run
        self.before = NightState()  # what the last run left

        def take(state: NightState) -> NightState:
            if state.until > time.time() and not has_exited(BusyLease("night", state.until, state.pid, state.host)):
                self._refuse()
            self.before = state
            return state._replace(run=run, ended=False, pid=os.getpid(), host=platform.node())

        self._change(take)

    def update(self, **values: Any) -> None:  # noqa: ANN401 - fields of the state
        """Renew the lease, and change the state.

        Raises:
            LockedError: another run has taken the lease over.
        """

        def renew(state: NightState) -> NightState:
            if state.run != self._run:
                self._refuse()
            return state._replace(**values)

        self._change(renew)

    def release(self) -> None:
        """End the lease; do nothing if another run has it."""

        def end(state: NightState) -> NightState:
            return state._replace(until=0.0) if state.run == self._run else state

        self._change(end, lasting=False)

    def _refuse(self) -> None:
        lang = self._config.lang
        raise LockedError(say(lang, "night.taken"), hint=say(lang, "night.taken.hint"))

    def _change(self, change: Callable[[NightState], NightState], *, lasting: bool = True) -> None:
        settings, path = self._config.settings, self._config.state_file(_NAME)
        with Root(self._config.root) as root, locks.locked(root, [path], settings.store.lock_seconds):
            new = change(_read(root, path))
            if lasting:
                new = new._replace(until=time.time() + settings.night.lease_seconds)
            values = new._asdict() | {"judged": new.judged[-_JUDGED:]}
            write_new(root.place(path, make=True).name, json.dumps(values, ensure_ascii=False).encode(), path)


def _read(root: Root, path: str) -> NightState:
    try:
        version = read(root.place(path), _MOST_BYTES)
        values = json.loads(version.data) if version else {}
        items = {str(key): PlannedItem(*map(int, row)) for key, row in values.get("items", {}).items()}
        return NightState(
            str(values["day"]), str(values["run"]), str(values["step"]), items, int(values["calls"]),
            int(values["tokens"]), values["ended"] is True, tuple(map(str, values["judged"])), float(values["until"]),
            int(values["pid"]), str(values["host"]),
        )  # fmt: skip
    except (FileNotFoundError, ValueError, LookupError, TypeError, AttributeError, RecursionError, OverflowError):
        return NightState()
