"""Keeps the index up to date beside a watcher, so that building it holds up no notice."""

from __future__ import annotations

import os
from contextlib import suppress
from threading import Event, Thread
from types import TracebackType
from typing import Self

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.search.index import SearchIndex
from mdmem.search.index.indexed_files import open_index

_END_SECONDS = 5  # to wait for a refresh when the watcher ends; one that takes longer dies with the process


class IndexKeeper(Thread):
    """Refreshes the index of a workspace when asked to, in a thread of its own; a context manager that ends it."""

    def __init__(self, config: WorkspaceConfig) -> None:
        super().__init__(daemon=True)
        self._config, self._wanted, self._over = config, Event(), False
        self.is_busy = True

    def __enter__(self) -> Self:
        self.refresh()
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._wanted.set()
        self.join(_END_SECONDS)

    def refresh(self) -> None:
        """Ask for the index to be brought up to the files as they are now."""
        self._wanted.set()

    def run(self) -> None:
        """Work until the end."""
        index: SearchIndex | None = None
        while True:
            self.is_busy = self._wanted.is_set()
            self._wanted.wait()
            if self._over:
                return
            self._wanted.clear()
            self.is_busy = True
            with suppress(MdmemError, OSError):  # what cannot be read now the board tells; the search tries again
                if os.path.isdir(self._config.root):
                    index = index or open_index(self._config)  # its connection belongs to this thread
                    index.refresh()
