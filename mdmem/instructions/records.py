"""What mdmem has entered into the files of agents, as JSON in `.mdmem/agents/`, changed under a lock."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.store.durable import write_new
from mdmem.store.locks import locked
from mdmem.store.root import Root
from mdmem.store.walk import AGENTS_FOLDER


class AgentRecord:
    """One record, by the absolute paths of the files."""

    def __init__(self, config: WorkspaceConfig, name: str) -> None:
        """Bind to a record of a workspace and read it."""
        self._config, self._path = config, f"{AGENTS_FOLDER}/{name}"
        self.files: dict[str, Any] = {}
        self._read()

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Lock the record, read it again, and hand it out; `save` stores it.

        Raises:
            LockedError: another process changes it.
        """
        seconds = self._config.settings.store.lock_seconds
        with Root(self._config.root) as root, locked(root, (self._path,), seconds):
            self._read()
            yield self.files

    def save(self) -> None:
        """Write the record. Raises WriteError."""
        with Root(self._config.root) as root:
            data = json.dumps(self.files, ensure_ascii=False, indent=1).encode("utf-8", "surrogateescape")
            write_new(root.place(self._path, make=True).name, data, self._path)

    def _read(self) -> None:
        try:
            with open(os.path.join(self._config.root, self._path), "rb") as stream:
                found = json.loads(stream.read())
        except (OSError, ValueError):
            found = None
        known = found if isinstance(found, dict) else {}
        self.files = {path: one for path, one in known.items() if isinstance(one, dict)}
