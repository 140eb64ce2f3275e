"""`.mdmem/access.json`: how often, and when last, an entry was recalled; beside the index, which may be deleted.

A read changes no file that a person sees (law 14); the night run writes the counts into the facts they belong to
(law 9). Where the counts cannot be written, a recall goes on without them.
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
    """How often something was recalled, and on what day last (ISO)."""

    times: int
    day: str


def accesses(config: WorkspaceConfig) -> dict[str, AccessCount]:
    """Return the counts by the key of an entry; counts that cannot be read are none."""
    try:
        with Root(config.root) as root:
            return _read(root)
    except (MdmemError, OSError):
        return {}


def record_access(config: WorkspaceConfig, keys: Iterable[str], day: str) -> bool:
    """Count one recall of each of these entries; False where nothing could be written."""
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


def keep_counts(config: WorkspaceConfig, held: Iterable[str]) -> None:
    """Keep the counts of these keys alone: of what was forgotten not even a digest stays (law 12).

    Raises:
        WriteError, LockedError: they could not be written; nothing is changed.
    """
    with Root(config.root) as root, locks.locked(root, [_PATH], config.settings.store.lock_seconds):
        found = _read(root)
        kept = {key: found[key] for key in held if key in found}
        if kept != found:
            _write(root, kept)


def _write(root: Root, found: Mapping[str, AccessCount]) -> None:
    said = json.dumps({key: list(one) for key, one in sorted(found.items())}, separators=(",", ":"))
    write_new(root.place(_PATH, make=True).name, said.encode(), _PATH)


def _read(root: Root) -> dict[str, AccessCount]:
    try:
        version = read(root.place(_PATH), _MOST_BYTES)
        held = json.loads(version.data) if version else {}
    except (FileNotFoundError, ValueError, RecursionError):
        held = {}
    rows = held.items() if isinstance(held, dict) else ()
    return {key: AccessCount(row[0], row[1]) for key, row in rows if _is_access(row)}


def _is_access(row: object) -> bool:
    return isinstance(row, list) and len(row) == 2 and type(row[0]) is int and row[0] > 0 and isinstance(row[1], str)
