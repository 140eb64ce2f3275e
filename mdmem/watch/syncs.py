"""Syncs a watched memory from time to time, if `[sync] watch_minutes` asks for it."""

from __future__ import annotations

import time

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.git.synchronize import sync
from mdmem.messages.translated_errors import in_language
from mdmem.text.edit import Severity
from mdmem.watch.board import KeeperRun
from mdmem.watch.model import Notice

_MINUTE = 60  # seconds


class SyncClock:
    """Tells when the next sync is due; the first one is when the watcher begins."""

    def __init__(self) -> None:
        self._last: float | None = None

    def wait(self, config: WorkspaceConfig) -> float | None:
        """Return the seconds until the next sync; None if the settings ask for none."""
        minutes = config.settings.sync.watch_minutes
        if not minutes:
            return None
        return 0 if self._last is None else max(0.0, self._last + minutes * _MINUTE - time.monotonic())

    def begin(self) -> None:
        """Note that a sync begins."""
        self._last = time.monotonic()


def keep_synced(config: WorkspaceConfig) -> KeeperRun:
    """Sync a memory, and tell what it came to; what stands in the way is told too, for the next one may pass."""
    try:
        found = sync(config)
    except MdmemError as error:
        return KeeperRun((Notice("sync", str(in_language(error, config.lang)), "warning"),))
    severity: Severity = "note" if found.status in ("same", "kept") else "warning"
    is_quiet = found.status == "same" and not (found.sent or found.taken)
    return KeeperRun(() if is_quiet else (Notice("sync", found.message, severity),))
