"""What mdmem has entered into the files of agents, as JSON in the user's state folder, changed under a lock.

A record names files outside of the workspace, which mdmem later writes again. In the workspace it could come with a
folder from elsewhere; there stands only a random name, by which the record of this machine is found. A copy of the
folder has the same name, and none of the files: each of them is bound to the root that it was connected with.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from mdmem.config.trust import IDENTITY_FILE, state_folder, stored_identity
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UnreadableFileError, WriteError
from mdmem.store.durable import make_new, write_new
from mdmem.store.files import write_private
from mdmem.store.locks import locked
from mdmem.store.root import Root
from mdmem.store.walk import AGENTS_FOLDER

_ROOT = "root"  # of an entry: the folder that it was connected with


class AgentRecord:
    """One record, by the absolute paths of the files; also of a folder that was renamed since."""

    def __init__(self, config: WorkspaceConfig, name: str) -> None:
        """Bind to a record of a workspace and read it."""
        self._config, self._name = config, name
        self._root = os.path.realpath(config.root)
        self.files: dict[str, Any] = {}
        with suppress(OSError):
            self._read()

    @property
    def own(self) -> dict[str, Any]:
        """The files that were connected with the folder as it is called now."""
        return {path: one for path, one in self.files.items() if not self.has_moved(one)}

    def has_moved(self, entry: dict[str, Any]) -> bool:
        """Return whether a file was connected while the folder was called otherwise."""
        return entry.get(_ROOT) != self._root

    def put(self, path: str, entry: dict[str, Any]) -> None:
        """Take in a file as one of this root."""
        self.files[path] = entry | {_ROOT: self._root}

    @contextmanager
    def changing(self) -> Iterator[dict[str, Any]]:
        """Lock the record, read it again, and hand it out; `save` stores it.

        Raises:
            LockedError: another process changes it.
            UnreadableFileError: it is there and cannot be read; without it what was entered is not found again.
        """
        seconds = self._config.settings.store.lock_seconds
        with Root(self._config.root) as root, locked(root, (f"{AGENTS_FOLDER}/{self._name}",), seconds):
            try:
                self._read()
            except OSError as error:
                raise UnreadableFileError(
                    "could not be read: {reason}", path=self._name, facts={"reason": error.strerror},
                    hint="nothing was changed; try again",
                ) from error  # fmt: skip
            yield self.files

    def save(self) -> None:
        """Write the record. Raises WriteError."""
        folder = state_folder()
        if folder is None:
            raise WriteError("there is no folder for your settings", hint="set XDG_STATE_HOME")
        try:
            identity = stored_identity(self._config.root) or self._new_identity()
        except OSError as error:  # a new name would lose the record
            raise WriteError(
                "could not be read: {reason}", path=IDENTITY_FILE, facts={"reason": error.strerror}
            ) from error
        path = os.path.join(folder, "agents", identity, self._name)
        data = json.dumps(self.files, ensure_ascii=False, indent=1).encode("utf-8", "surrogateescape")
        write_private(path, data, folder, self._name)

    def _read(self) -> None:
        """Read the record; a missing or damaged one is empty. Raises OSError if one is there and cannot be read."""
        folder, identity = state_folder(), stored_identity(self._config.root)
        found = None
        with suppress(FileNotFoundError, NotADirectoryError, ValueError):
            if folder and identity:
                with open(os.path.join(folder, "agents", identity, self._name), "rb") as stream:
                    found = json.loads(stream.read())
        known = found if isinstance(found, dict) else {}
        self.files = {path: one for path, one in known.items() if isinstance(one, dict)}

    def _new_identity(self) -> str:
        """Make the random name; of two processes at once, one makes it. Raises OSError if it cannot be read."""
        data = os.urandom(16).hex().encode() + b"\n"
        with Root(self._config.root) as root:
            name = root.place(IDENTITY_FILE, make=True).name
            if not make_new(name, data, IDENTITY_FILE) and not stored_identity(self._config.root):
                write_new(name, data, IDENTITY_FILE)  # replaces a file that holds no name
        return stored_identity(self._config.root)
