"""The lint cache: the findings of files by the digest of their bytes. It can be deleted at any time.

It is in the user's cache folder, so that reading writes nothing into the workspace and a cloned folder brings no
findings along. Each record is one line, `key TAB checksum SPACE value`; a run over one file parses no other value.
Values are JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from mdmem.messages.folders import cache_folder, templates_folder
from mdmem.store.files import digest, make_private_folders, open_private

# A constant, no setting: a cache loses nothing. A workspace that changes writes its file again. One that does not
# change loses its file at most once in this time, and its next run builds it again.
UNUSED_DAYS = 30
_OWN_NAME = re.compile(r"(lint|shipped)-[0-9a-f]{32}(\.[0-9a-f]{16}\.tmp)?")


def signature(folder: str, suffix: str | tuple[str, ...] = "") -> str:
    """Return a key for the files below a folder with a suffix; it changes with their names, sizes and times."""
    return digest(*_signed(folder, suffix))


def stamp(name: str, seen: os.stat_result) -> str:
    """Return a text that changes when a file does: its name, size and time."""
    return f"{name} {seen.st_size} {seen.st_mtime_ns}"


def _signed(folder: str, suffix: str | tuple[str, ...]) -> Iterator[str]:
    with os.scandir(folder) as listing:
        entries = sorted(listing, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _signed(entry.path, suffix)
        elif entry.name.endswith(suffix):
            yield stamp(entry.name, entry.stat())


def _prune(folder: str) -> None:
    """Remove the cache files that nobody has written for `UNUSED_DAYS`, such as those of deleted workspaces."""
    oldest = time.time() - UNUSED_DAYS * 86_400
    with contextlib.suppress(OSError), os.scandir(folder) as listing:
        for entry in listing:
            if _OWN_NAME.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    if entry.stat(follow_symlinks=False).st_mtime < oldest:
                        os.unlink(entry.path)


class Cache:
    """Records in one file of the user's cache folder; a damaged record counts as missing."""

    def __init__(self, root: str, *, enabled: bool = True, name: str = "lint") -> None:
        folder = cache_folder() if enabled else None
        self._path = os.path.join(folder, f"{name}-{digest(os.path.realpath(root))}") if folder else None
        self._records: dict[bytes, bytes] = {}
        self._new: dict[bytes, bytes] = {}
        self._put: dict[bytes, object] = {}  # not encoded yet
        self._seen: set[bytes] = set()
        self._loaded: tuple[int, int] | None = None  # inode and time of the file when it was read
        self.refresh()

    def refresh(self) -> None:
        """Read the records again if another object has changed them since; new records of this object are kept."""
        if self._path is None:
            return
        try:
            with open(self._path, "rb") as stream:
                info = os.fstat(stream.fileno())
                loaded = info.st_ino, info.st_mtime_ns
                if loaded != self._loaded:
                    self._records = dict(line.split(b"\t", 1) for line in stream.read().split(b"\n") if line)
                    self._loaded = loaded
        except (OSError, ValueError):
            self._records, self._loaded = {}, None

    def get(self, key: str) -> Any:  # noqa: ANN401 - any JSON value; the caller checks it
        """Return the value of a key; None if it is missing or damaged."""
        name = key.encode()
        self._seen.add(name)
        self._encode(name)
        check, _, record = (self._new.get(name) or self._records.get(name, b"")).partition(b" ")
        # a crash or a bad disk may have damaged the line
        if not record or check != digest(record).encode():
            return None
        return json.loads(record)

    def put(self, key: str, value: object) -> None:
        """Set the value of a key, of JSON types; `save` writes it."""
        self._put[key.encode()] = value

    def _encode(self, *names: bytes) -> None:
        """Encode what was put under these names; late, for many a program saves nothing."""
        for name in names:
            if name in self._put:
                record = json.dumps(self._put.pop(name), separators=(",", ":")).encode()
                self._new[name] = digest(record).encode() + b" " + record

    def forget(self) -> None:
        """Remove all records."""
        if self._path:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)
        self._records.clear()
        self._new.clear()
        self._put.clear()
        self._loaded = None

    def save(self, *, complete: bool) -> None:
        """Write the new records; after a complete run, drop the records that were not asked for."""
        if self._path is None or not (self._new or self._put):
            return
        self._encode(*self._put)
        self.refresh()  # keep what other processes have written, drop what `forget` has removed
        retained = {key: value for key, value in self._records.items() if not complete or key in self._seen}
        data = b"\n".join(b"\t".join(record) for record in (retained | self._new).items())
        temporary = f"{self._path}.{os.urandom(8).hex()}.tmp"
        try:
            make_private_folders(folder := os.path.dirname(self._path), folder)
            descriptor = open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                written = os.fstat(descriptor)
            os.replace(temporary, self._path)
            if self._loaded is None:  # the first file of a workspace: a rare moment
                _prune(folder)
            self._records, self._new, self._loaded = retained | self._new, {}, (written.st_ino, written.st_mtime_ns)
        except OSError:  # without the cache the next run is slower, nothing else
            with contextlib.suppress(OSError):
                os.unlink(temporary)


class WorkspaceCache(Cache):
    """The records of one workspace, and those of shipped files, which all workspaces share."""

    def __init__(self, root: str, *, enabled: bool = True) -> None:
        super().__init__(root, enabled=enabled)
        self._enabled = enabled

    @cached_property
    def _shipped(self) -> Cache:
        return Cache(templates_folder(), enabled=self._enabled, name="shipped")

    def shipped(self, name: str, version: str, kind: type, make: Callable[[], Any]) -> Any:  # noqa: ANN401 - JSON
        """Return what a shipped file holds; one cache has it for all workspaces.

        Args:
            name: its name.
            version: changes with the shipped files, and with the code that reads them.
            kind: the type of the value.
            make: reads the file, if the cache does not have it.
        """
        known = self._shipped.get(name)
        if isinstance(known, list) and known[:1] == [version] and isinstance(known[1], kind):
            return known[1]
        self._shipped.put(name, [version, made := make()])
        return made

    def save(self, *, complete: bool) -> None:
        """Write the new records, those that are shared too."""
        super().save(complete=complete)
        if "_shipped" in vars(self):
            self._shipped.save(complete=False)
