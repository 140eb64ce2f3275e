"""What mdmem has entered into the files of agents, as JSON in the user's state folder, changed under a lock.

A record names files outside of the workspace, which mdmem later writes again. In the workspace it could come with a
folder from elsewhere; there stands only a random name, by which the record of this machine is found. A copy of the
folder has the same name, and none of the files: each of them is bound to the root that it was connected with.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from mdmem.config.trust import state_folder
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import WriteError
from mdmem.store.durable import FolderEntry, make_new, write_new
from mdmem.store.locks import locked
from mdmem.store.root import Root
from mdmem.store.walk import AGENTS_FOLDER

_IDENTITY = f"{AGENTS_FOLDER}/identity"
_NAME = re.compile(rb"[0-9a-f]{32}")
_ROOT = "root"  # of an entry: the folder that it was connected with


class AgentRecord:
    """One record, by the absolute paths of the files; also of a folder that was renamed since."""

    def __init__(self, config: WorkspaceConfig, name: str) -> None:
        """Bind to a record of a workspace and read it."""
        self._config, self._name = config, name
        self._root = os.path.realpath(config.root)
        self.files: dict[str, Any] = {}
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
        """
        seconds = self._config.settings.store.lock_seconds
        with Root(self._config.root) as root, locked(root, (f"{AGENTS_FOLDER}/{self._name}",), seconds):
            self._read()
            yield self.files

    def save(self) -> None:
        """Write the record. Raises WriteError."""
        folder = state_folder()
        if folder is None:
            raise WriteError("there is no folder for your settings", hint="set XDG_STATE_HOME")
        path = os.path.join(folder, "agents", self._identity() or self._new_identity(), self._name)
        data = json.dumps(self.files, ensure_ascii=False, indent=1).encode("utf-8", "surrogateescape")
        try:
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        except OSError as error:
            reason = {"reason": error.strerror}
            raise WriteError("could not be recorded: {reason}", path=self._name, facts=reason) from error
        write_new(FolderEntry(None, path), data, self._name)

    def _read(self) -> None:
        folder, identity = state_folder(), self._identity()
        try:
            with open(os.path.join(folder or "", "agents", identity, self._name), "rb") as stream:
                found = json.loads(stream.read()) if folder and identity else None
        except (OSError, ValueError):
            found = None
        known = found if isinstance(found, dict) else {}
        self.files = {path: one for path, one in known.items() if isinstance(one, dict)}

    def _identity(self) -> str:
        """Return the random name of the workspace; empty if it has none."""
        try:
            with open(os.path.join(self._config.root, _IDENTITY), "rb", opener=_regular) as stream:
                found = stream.read(64).strip()
        except OSError:
            return ""
        return found.decode() if _NAME.fullmatch(found) else ""

    def _new_identity(self) -> str:
        """Make the random name; of two processes at once, one makes it."""
        data = os.urandom(16).hex().encode() + b"\n"
        with Root(self._config.root) as root:
            name = root.place(_IDENTITY, make=True).name
            if not make_new(name, data, _IDENTITY) and not self._identity():
                write_new(name, data, _IDENTITY)  # what stands there is none
        return self._identity()


def _regular(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))  # a FIFO does not block
