"""Updates the index in a thread beside a watcher, so that a build delays no notice."""

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

_END_SECONDS = 5  # seconds to wait for a refresh when the watcher ends; a longer one ends with the process


class IndexKeeper(Thread):
    """Refreshes the index of a workspace on request, in a thread; a context manager that ends the thread."""

    def __init__(self, config: WorkspaceConfig) -> None:
        super().__init__(daemon=True)
        self._config, self._wanted, self._ended = config, Event(), False
        self.is_busy = True

    def __enter__(self) -> Self:
        self.refresh()
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended = True
        self._wanted.set()
        self.join(_END_SECONDS)

    def refresh(self) -> None:
        """Request a refresh of the index."""
        self._wanted.set()

    def run(self) -> None:
        """Refresh on each request until the end."""
        index: SearchIndex | None = None
        while True:
            self.is_busy = self._wanted.is_set()
            self._wanted.wait()
            if self._ended:
                return
            self._wanted.clear()
            self.is_busy = True
            with suppress(MdmemError, OSError):  # `board` reports unreadable files; a search refreshes again
                if os.path.isdir(self._config.root):
                    index = index or open_index(self._config)  # the connection must be used in this thread only
                    index.refresh()
