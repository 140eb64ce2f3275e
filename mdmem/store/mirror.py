"""Keeps a copy of each file to which records are added, so that a record which a save takes out can be brought back.

An editor that loaded the file earlier saves an older text over it. The copy knows the file's state after the last
record; while that state holds, nobody else has written, and an append costs the same however long the file is. The copy
is only read after somebody else has written. It is lost without harm: then nothing is brought back.

A change by the pen removes the copy before the file is written, and makes it anew from what was written: what mdmem
itself took out never comes back.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple

from mdmem.errors import MdmemError, UnreadableFileError
from mdmem.store import locks
from mdmem.store.durable import discard, write_all
from mdmem.store.files import open_private
from mdmem.store.root import Root, read

FOLDER = ".mdmem/mirrors"
_HEAD = 128  # bytes: the state of the file, and the length of the copy behind them
_UNKNOWN = "0 0 0 0"  # the state of a file that another process may have written since


def file_state(found: os.stat_result) -> str:
    """Return what changes whenever somebody writes a file or puts another one in its place."""
    return f"{found.st_dev} {found.st_ino} {found.st_size} {found.st_ctime_ns}"


class ChangedFile(NamedTuple):
    """A file that somebody else has written since the last record was added."""

    known: bytes  # the copy: the file, or the records that were added to it
    data: bytes  # what the file holds now
    state: str


def changed_since(root: Root, path: str, max_bytes: int) -> ChangedFile | None:
    """Read a file and its copy, if somebody else has written the file since the last record; None if not."""
    head = _head(root, path)
    if head is None:
        return None
    try:
        name = root.place(path).name
        if head[0] == file_state(os.stat(name.name, dir_fd=name.folder)):
            return None
        known, version = _read(root, path, head[1]), read(root.place(path), max_bytes)
    except FileNotFoundError:
        return None
    # an empty file is being saved
    return ChangedFile(known, version.data, file_state(version.stat)) if known and version and version.data else None


def add_to_mirror(root: Root, path: str, data: bytes, state: str) -> None:
    """Add a record to the copy; the copy begins with the first record where there was none."""
    try:
        head = _head(root, path)
        _write(root, path, data, state, head[1] if head else 0)
    except (OSError, MdmemError):  # the record itself is safe
        with suppress(OSError, MdmemError):
            remove_mirror(root, path)


def write_mirror(root: Root, path: str, data: bytes, state: str = _UNKNOWN) -> None:
    """Make the copy anew from the text of a file; without a state, the next append compares them."""
    try:
        _write(root, path, data, state, 0)
    except (OSError, MdmemError):
        with suppress(OSError, MdmemError):
            remove_mirror(root, path)


def remove_mirror(root: Root, path: str) -> bool:
    """Remove the copy; tell whether there was one."""
    try:
        name = root.place(_name(path)).name
        os.unlink(name.name, dir_fd=name.folder)
    except FileNotFoundError:
        return False
    return True


def prune_mirrors(root: Root, before: float) -> None:
    """Remove the copies that nothing was added to since a time, in seconds of the epoch."""
    for one in root.names(FOLDER):
        with suppress(FileNotFoundError):
            name = root.place(f"{FOLDER}/{one}").name
            if os.stat(name.name, dir_fd=name.folder).st_mtime < before:
                discard(name)


def _name(path: str) -> str:
    return f"{FOLDER}/{locks.key(path)}"


def _read(root: Root, path: str, length: int) -> bytes | None:
    with suppress(OSError, UnreadableFileError):
        found = read(root.place(_name(path)))
        if found and len(found.data) >= _HEAD + length:
            return found.data[_HEAD : _HEAD + length]
    return None


def _head(root: Root, path: str) -> tuple[str, int] | None:
    """Read the state of the file and the length of the copy."""
    try:
        name = root.place(_name(path)).name
        descriptor = os.open(name.name, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0), dir_fd=name.folder)
    except OSError:
        return None
    try:
        state, _, length = os.pread(descriptor, _HEAD, 0).decode("ascii", "replace").strip().rpartition(" ")
    finally:
        os.close(descriptor)
    return (state, int(length)) if length.isdecimal() else None


def _write(root: Root, path: str, data: bytes, state: str, at: int) -> None:
    """Write behind so many bytes of the copy, then the head; half a record is no part of the copy."""
    name = root.place(_name(path), make=True).name
    descriptor = open_private(name.name, os.O_WRONLY | os.O_CREAT, name.folder)
    try:
        if not at:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b" " * _HEAD, 0)
        os.lseek(descriptor, _HEAD + at, os.SEEK_SET)
        write_all(descriptor, data)
        os.pwrite(descriptor, f"{state} {at + len(data)}".encode().ljust(_HEAD), 0)
    finally:
        os.close(descriptor)
