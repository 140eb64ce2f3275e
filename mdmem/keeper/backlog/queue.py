"""The back-off of failed files in `.mdmem/queue.json`: number of attempts, next attempt, reason (DESIGN section 6).

Pending work is computed from the files, so deleting the queue loses only the back-off. Each failure is also a line of
the log, with its reason and without files (F050).
"""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.errors import MdmemError
from mdmem.messages.catalog import say
from mdmem.store import locks
from mdmem.store.durable import write_new
from mdmem.store.history.versions import Transaction, VersionStore, new_id
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_PATH = f"{STATE_FOLDER}/queue.json"
_KEY = "attempts"
_MOST_BYTES = 1_000_000
_DOUBLINGS = 30  # keeps the number small; the wait is limited by a setting


FAILED, ASKING = "failed", "asking"
_WORK = "#"  # between a path and the kind of work, where it is not condensing


def queue_key(path: str, work: str) -> str:
    """Return the name under which the queue keeps one kind of work on a file."""
    return f"{path}{_WORK}{work}" if work else path


def path_of(key: str) -> str:
    """Return the file of a name in the queue."""
    return key.rpartition(_WORK)[0] if _WORK in key else key


class QueueAttempt(NamedTuple):
    """The failed attempts at one file."""

    attempts: int
    until: str  # ISO 8601: the time of the next attempt
    reason: str
    state: str = ""  # failed: only tried again when asked to; asking: a process asks a model, until `until` at most

    def waits(self, now: dt.datetime) -> bool:
        """Return whether it is too early to try again."""
        return self.state == FAILED or self.until > now.isoformat(timespec="seconds")

    @property
    def time(self) -> str:
        """The time of day of the next attempt, HH:MM:SS."""
        return self.until[11:19]


def queue(config: WorkspaceConfig) -> dict[str, QueueAttempt]:
    """Return the attempts by file; empty if the queue cannot be read."""
    try:
        with Root(config.root) as root:
            return _attempts(_read(root))
    except (MdmemError, FileNotFoundError):
        return {}


def record_failure(
    config: WorkspaceConfig,
    path: str,
    reason: str,
    now: dt.datetime,
    *,
    least: float = 0,
    work: str = "",
    tries: int = 0,
) -> int:
    """Record and log that a file could not be condensed; return the seconds until the next attempt.

    The wait doubles from `[keeper] retry_seconds` to `max_retry_seconds`; `least` is the wait that a model asks
    for. After `tries` attempts, if they are limited, the row says that it failed.
    """
    keeper, seconds = config.settings.keeper, config.settings.keeper.retry_seconds

    def change(found: dict[str, QueueAttempt]) -> None:
        nonlocal seconds
        key = queue_key(path, work)
        attempts = found[key].attempts + 1 if key in found else 1
        doubled = keeper.retry_seconds * 2 ** min(attempts - 1, _DOUBLINGS)
        seconds = round(min(max(doubled, least), keeper.max_retry_seconds))
        until = (now + dt.timedelta(seconds=seconds)).isoformat(timespec="seconds")
        found[key] = QueueAttempt(attempts, until, reason, FAILED if tries and attempts >= tries else "")

    _change(config, change)
    with suppress(MdmemError, OSError), Root(config.root) as root:
        message = say(config.lang, "keeper.refused", path=path, reason=reason)
        line = Transaction(new_id(now), now.isoformat(timespec="seconds"), KEEPER, message, ())
        VersionStore(root, config.settings.store.lock_seconds).append(line)
    return seconds


def take_lease(config: WorkspaceConfig, key: str, now: dt.datetime, seconds: int) -> None:
    """Record that a process asks a model about something, so that no other process does; the lease expires."""
    until = (now + dt.timedelta(seconds=seconds)).isoformat(timespec="seconds")

    def change(found: dict[str, QueueAttempt]) -> None:
        before = found.get(key, QueueAttempt(0, "", ""))
        found[key] = QueueAttempt(before.attempts, until, before.reason, ASKING)

    _change(config, change)


def end_lease(config: WorkspaceConfig, key: str) -> None:
    """Record that nobody asks a model about something any more; earlier failures still count."""

    def change(found: dict[str, QueueAttempt]) -> None:
        row = found.get(key)
        if row and row.state == ASKING:
            del found[key]
            if row.attempts:
                found[key] = QueueAttempt(row.attempts, "", row.reason)

    _change(config, change)


def clear_attempts(config: WorkspaceConfig, path: str, work: str = "") -> None:
    """Remove the attempts at something from the queue."""
    key = queue_key(path, work)
    if key in queue(config):
        _change(config, lambda found: found.pop(key, None))


def _change(config: WorkspaceConfig, change: Callable[[dict[str, QueueAttempt]], object]) -> None:
    """Change the attempts under a lock; a write error is ignored, because only the back-off is lost."""
    seconds = config.settings.store.lock_seconds
    with suppress(MdmemError, OSError), Root(config.root) as root, locks.locked(root, [_PATH], seconds):
        values = _read(root)
        found = _attempts(values)
        change(found)
        values[_KEY] = {path: _written(one) for path, one in sorted(found.items())}
        target = root.place(_PATH, make=True)
        write_new(target.name, (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode(), _PATH)


_FIELDS = frozenset(QueueAttempt._fields) - {"state"}


def _written(one: QueueAttempt) -> dict[str, Any]:
    return {key: value for key, value in one._asdict().items() if key in _FIELDS or value}


def _read(root: Root) -> dict[str, Any]:
    try:
        version = read(root.place(_PATH), _MOST_BYTES)
        values = json.loads(version.data) if version else {}
    except (FileNotFoundError, ValueError, RecursionError):
        values = {}
    return values if isinstance(values, dict) else {}


def _attempts(values: dict[str, Any]) -> dict[str, QueueAttempt]:
    rows = values.get(_KEY)
    found = {}
    for path, row in rows.items() if isinstance(rows, dict) else ():
        if isinstance(row, dict) and set(row) >= _FIELDS and isinstance(row["attempts"], int):
            found[path] = QueueAttempt(
                row["attempts"], str(row["until"]), str(row["reason"]), str(row.get("state", ""))
            )
    return found
