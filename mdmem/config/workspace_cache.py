"""The cache of a workspace, and what all workspaces share in it: the shipped files as they were parsed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from mdmem.messages.folders import templates_folder
from mdmem.store.cache import Cache


class WorkspaceCache(Cache):
    """The records of one workspace. What comes from a shipped file is also kept for the next new workspace."""

    def __init__(self, root: str, *, enabled: bool = True) -> None:
        super().__init__(root, enabled=enabled)
        self._enabled = enabled

    @cached_property
    def _shipped(self) -> Cache:
        return Cache(templates_folder(), enabled=self._enabled, name="shipped")

    def shipped(self, key: str, name: str, version: str, kind: type, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - JSON
        """Return what a shipped file holds.

        Args:
            key: its key in the cache of the workspace.
            name: its name in the cache that is shared.
            version: changes with the shipped files, and with the code that reads them.
            kind: the type of the value.
            make: reads the file, if no cache has it.
        """
        known = self.get(key)
        if not isinstance(known, kind):
            shared = self._shipped.get(name)
            if isinstance(shared, list) and shared[:1] == [version]:
                known = shared[1]
            else:
                known = make()
                self._shipped.put(name, [version, known])
            self.put(key, known)
        return known

    def save(self, *, complete: bool) -> None:
        """Write the new records, those that are shared too."""
        super().save(complete=complete)
        if "_shipped" in vars(self):
            self._shipped.save(complete=False)
