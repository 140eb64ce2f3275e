"""The lint cache: what was said of a file's bytes, kept in the user's cache folder, safe to delete at any time.

It lies outside the workspace, so that reading never writes there and a cloned folder cannot bring findings along.
One line a record, `key TAB checksum SPACE value`, so that a run over one file parses no other value. A value is JSON.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from typing import Any

from mdmem.messages.folders import cache_folder
from mdmem.store.files import digest


def signature(folder: str, suffix: str | tuple[str, ...] = "") -> str:
    """Give a key for the files below a folder whose names end so, by name, size and time of each."""
    return digest(*_signed(folder, suffix))


def stamp(name: str, seen: os.stat_result) -> str:
    """Give what changes with a file: its name, size and time."""
    return f"{name} {seen.st_size} {seen.st_mtime_ns}"


def _signed(folder: str, suffix: str | tuple[str, ...]) -> Iterator[str]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if entry.name != "__pycache__":
                yield from _signed(entry.path, suffix)
        elif entry.name.endswith(suffix):
            yield stamp(entry.name, entry.stat())


class Cache:
    """The records of one workspace; a broken record is a missing one."""

    def __init__(self, root: str, *, enabled: bool = True) -> None:
        folder = cache_folder() if enabled else None
        self._path = os.path.join(folder, f"lint-{digest(os.path.realpath(root))}") if folder else None
        self._records: dict[bytes, bytes] = {}
        self._new: dict[bytes, bytes] = {}
        self._seen: set[bytes] = set()
        self._loaded: tuple[int, int] | None = None  # inode and time of the file that the records were read from
        self.refresh()

    def refresh(self) -> None:
        """Read the records again if another object has written or removed them since; new ones of our own stay."""
        if self._path is None:
            return
        try:
            with open(self._path, "rb") as stream:
                found = os.fstat(stream.fileno())
                loaded = found.st_ino, found.st_mtime_ns
                if loaded != self._loaded:
                    self._records = dict(line.split(b"\t", 1) for line in stream.read().split(b"\n") if line)
                    self._loaded = loaded
        except (OSError, ValueError):
            self._records, self._loaded = {}, None

    def get(self, key: str) -> Any:  # noqa: ANN401 - JSON is what it is; the caller checks
        """Give what was kept under a key; None where there is nothing readable."""
        name = key.encode()
        self._seen.add(name)
        check, _, record = (self._new.get(name) or self._records.get(name, b"")).partition(b" ")
        # a line that a crash or a bad disk has changed is no record
        if not record or check != digest(record).encode():
            return None
        return json.loads(record)

    def put(self, key: str, value: object) -> None:
        """Keep a value of JSON's types under a key until `save`."""
        record = json.dumps(value, separators=(",", ":")).encode()
        self._new[key.encode()] = digest(record).encode() + b" " + record

    def forget(self) -> None:
        """Remove everything that was kept."""
        if self._path:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._path)
        self._records.clear()
        self._new.clear()
        self._loaded = None

    def save(self, *, complete: bool) -> None:
        """Write the records that are new; after a complete run those that nobody asked for are dropped."""
        if self._path is None or not self._new:
            return
        self.refresh()  # what others have written stays, and what `forget` has removed is gone
        kept = {key: value for key, value in self._records.items() if not complete or key in self._seen}
        data = b"\n".join(b"\t".join(record) for record in (kept | self._new).items())
        temporary = f"{self._path}.{os.urandom(8).hex()}.tmp"
        try:
            os.makedirs(os.path.dirname(self._path), mode=0o700, exist_ok=True)
            descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                written = os.fstat(descriptor)
            os.replace(temporary, self._path)
            self._records, self._new, self._loaded = kept | self._new, {}, (written.st_ino, written.st_mtime_ns)
        except OSError:  # a cache that cannot be written is a slower run, nothing more
            with contextlib.suppress(OSError):
                os.unlink(temporary)
