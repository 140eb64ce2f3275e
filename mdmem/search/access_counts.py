"""`.mdmem/access.json`: how often, and when last, an entry was recalled.

A read changes no file that a person sees (law 14); the nightly run writes the counts into the facts they belong to
(law 9). If the counts cannot be written, a recall continues without them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from mdmem.config.workspace_config import ACCESSES, WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.store import locks
from mdmem.store.durable import write_new
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_PATH = f"{STATE_FOLDER}/{ACCESSES}"
_MOST_BYTES = 20_000_000


class AccessCount(NamedTuple):
    """How often something was recalled, and the day of the last recall (ISO)."""

    times: int
    day: str


def accesses(config: WorkspaceConfig) -> dict[str, AccessCount]:
    """Return the counts by entry key; empty if they cannot be read."""
    try:
        with Root(config.root) as root:
            return _read(root)
    except (MdmemError, OSError):
        return {}


def record_access(config: WorkspaceConfig, keys: Iterable[str], day: str) -> bool:
    """Count one recall of each of these entries; return False if nothing could be written."""
    keys = list(dict.fromkeys(keys))
    if not keys:
        return True
    try:
        with Root(config.root) as root, locks.locked(root, [_PATH], config.settings.store.lock_seconds):
            found = _read(root)
            for key in keys:
                found[key] = AccessCount(found[key].times + 1 if key in found else 1, day)
            _write(root, found)
    except (MdmemError, OSError):
        return False
    return True


def keep_counts(config: WorkspaceConfig, keys: Iterable[str]) -> None:
    """Keep only the counts of these keys, so that not even a digest of a forgotten text remains (law 12).

    Raises:
        WriteError, LockedError: they could not be written; nothing is changed.
    """
    with Root(config.root) as root, locks.locked(root, [_PATH], config.settings.store.lock_seconds):
        found = _read(root)
        remaining = {key: found[key] for key in keys if key in found}
        if remaining != found:
            _write(root, remaining)


def spend_counts(config: WorkspaceConfig, spent: Mapping[str, int]) -> None:
    """Take off counts that a file holds from now on; what was counted meanwhile stays.

    Raises:
        WriteError, LockedError: they could not be written; nothing is changed.
    """
    with Root(config.root) as root, locks.locked(root, [_PATH], config.settings.store.lock_seconds):
        found = _read(root)
        left = {key: one._replace(times=one.times - spent.get(key, 0)) for key, one in found.items()}
        remaining = {key: one for key, one in left.items() if one.times > 0}
        if remaining != found:
            _write(root, remaining)


def _write(root: Root, found: Mapping[str, AccessCount]) -> None:
    text = json.dumps({key: list(one) for key, one in sorted(found.items())}, separators=(",", ":"))
    write_new(root.place(_PATH, make=True).name, text.encode(), _PATH)


def _read(root: Root) -> dict[str, AccessCount]:
    try:
        version = read(root.place(_PATH), _MOST_BYTES)
        values = json.loads(version.data) if version else {}
    except (FileNotFoundError, ValueError, RecursionError):
        values = {}
    rows = values.items() if isinstance(values, dict) else ()
    return {key: AccessCount(row[0], row[1]) for key, row in rows if _is_access(row)}


def _is_access(row: object) -> bool:
    return isinstance(row, list) and len(row) == 2 and type(row[0]) is int and row[0] > 0 and isinstance(row[1], str)
