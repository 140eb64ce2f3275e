"""`.mdmem/access.json`: how often, and when last, an entry was recalled.

A read changes no file that a person sees (law 14); the nightly run writes the counts into the facts they belong to
(law 9). If the counts cannot be written, a recall continues without them. What an entry says is its key, so that a
change of its fields keeps its count.

Counts on their way into a file stand apart, under the transaction that writes them. After a break, the log of
transactions tells whether the file holds them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from mdmem.config.workspace_config import ACCESSES, WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.store import locks
from mdmem.store.durable import write_new
from mdmem.store.history.versions import VersionStore
from mdmem.store.root import Root, read

_MOST_BYTES = 20_000_000
_MOVING = "moving"  # no key of an entry: those are hexadecimal


class AccessCount(NamedTuple):
    """How often something was recalled, and the day of the last recall (ISO)."""

    times: int
    day: str


class _State(NamedTuple):
    """The file: the counts, and those that the transaction `transaction` writes into a file."""

    counts: dict[str, AccessCount]
    moving: dict[str, AccessCount]
    transaction: str


def accesses(config: WorkspaceConfig) -> dict[str, AccessCount]:
    """Return the counts by statement key that no file holds; empty if they cannot be read."""
    try:
        with Root(config.root) as root:
            return _settled(root, _read(root, config.state_file(ACCESSES))).counts
    except (MdmemError, OSError):
        return {}


def record_access(config: WorkspaceConfig, keys: Iterable[str], day: str) -> bool:
    """Count one recall of each of these entries; return False if nothing could be written."""
    keys = list(dict.fromkeys(keys))
    if not keys:
        return True
    try:
        with (
            Root(config.root) as root,
            locks.locked(root, [path := config.state_file(ACCESSES)], config.settings.store.lock_seconds),
        ):
            found = _read(root, path)
            for key in keys:
                _add(found.counts, key, AccessCount(1, day))
            _write(root, path, found)
    except (MdmemError, OSError):
        return False
    return True


def keep_counts(config: WorkspaceConfig, keys: Iterable[str]) -> None:
    """Keep only the counts of these keys, so that not even a digest of a forgotten text remains (law 12).

    Raises:
        WriteError, LockedError: they could not be written; nothing is changed.
    """
    with (
        Root(config.root) as root,
        locks.locked(root, [path := config.state_file(ACCESSES)], config.settings.store.lock_seconds),
    ):
        wanted, found = frozenset(keys), _read(root, path)
        counts, moving = ({key: one[key] for key in one if key in wanted} for one in found[:2])
        remaining = _State(counts, moving, found.transaction if moving else "")
        if remaining != found:
            _write(root, path, remaining)


def move_counts(config: WorkspaceConfig, keys: Iterable[str], transaction: str) -> None:
    """Set the counts of these keys apart: a transaction is about to write them into a file.

    Raises:
        WriteError, LockedError: they could not be written; nothing is changed.
    """
    with (
        Root(config.root) as root,
        locks.locked(root, [path := config.state_file(ACCESSES)], config.settings.store.lock_seconds),
    ):
        counts = _settled(root, _read(root, path)).counts
        moving = {key: counts.pop(key) for key in sorted(keys) if key in counts}
        _write(root, path, _State(counts, moving, transaction))


def settle_counts(config: WorkspaceConfig) -> None:
    """Drop the counts that were set apart if their transaction was made, else count them again.

    Raises:
        WriteError, LockedError: they could not be written; nothing is changed.
    """
    with (
        Root(config.root) as root,
        locks.locked(root, [path := config.state_file(ACCESSES)], config.settings.store.lock_seconds),
    ):
        found = _read(root, path)
        if found.transaction:
            _write(root, path, _settled(root, found))


@contextmanager
def _locked(config: WorkspaceConfig) -> Iterator[tuple[Root, str]]:
    """Hold the lock of the user's counts; give the folder and the path of their file."""
    path = config.state_file(ACCESSES)
    with Root(config.root) as root, locks.locked(root, [path], config.settings.store.lock_seconds):
        yield root, path


def _settled(root: Root, found: _State) -> _State:
    """Return the state without counts that are set apart."""
    if found.transaction and all(one.id != found.transaction for one in VersionStore(root, 0).log()):
        for key, one in found.moving.items():
            _add(found.counts, key, one)
    return _State(found.counts, {}, "")


def _add(counts: dict[str, AccessCount], key: str, more: AccessCount) -> None:
    old = counts.get(key, AccessCount(0, ""))
    counts[key] = AccessCount(old.times + more.times, max(old.day, more.day))


def _write(root: Root, path: str, found: _State) -> None:
    rows: dict[str, object] = {key: list(one) for key, one in sorted(found.counts.items())}
    if found.transaction:
        rows[_MOVING] = [found.transaction, {key: list(one) for key, one in sorted(found.moving.items())}]
    write_new(root.place(path, make=True).name, json.dumps(rows, separators=(",", ":")).encode(), path)


def _read(root: Root, path: str) -> _State:
    try:
        version = read(root.place(path), _MOST_BYTES)
        values = json.loads(version.data) if version else {}
    except (FileNotFoundError, ValueError, RecursionError):
        values = {}
    match values.pop(_MOVING, None) if isinstance(values, dict) else None:
        case [str(transaction), dict(moving)]:
            return _State(_counts(values), _counts(moving), transaction)
    return _State(_counts(values), {}, "")


def _counts(values: object) -> dict[str, AccessCount]:
    rows = values.items() if isinstance(values, dict) else ()
    return {key: AccessCount(row[0], row[1]) for key, row in rows if _is_access(row)}


def _is_access(row: object) -> bool:
    return isinstance(row, list) and len(row) == 2 and type(row[0]) is int and row[0] > 0 and isinstance(row[1], str)
