"""Reads files as they are without blocking, reads them backwards, and creates new ones. Only the pen replaces files."""

# `durable` is imported only if a file is created: it loads ctypes.
from __future__ import annotations

import errno
import json
import os
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import blake2b
from typing import NamedTuple

from mdmem.errors import RefusedError, UnreadableFileError, WriteError


def digest(*parts: bytes | str) -> str:
    """Return a key for some values: equal keys mean equal values."""
    encoded = [part.encode("utf-8", "surrogateescape") if isinstance(part, str) else part for part in parts]
    lengths = ",".join([str(len(data)) for data in encoded])
    return blake2b(b"\0".join((lengths.encode(), *encoded)), digest_size=16).hexdigest()


_TYPES = {
    stat.S_IFREG: "regular",
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_OTHERS = stat.S_IRWXG | stat.S_IRWXO
_LEASE_SECONDS = 5.0  # longer than a disk takes to write what a writer appends under its lease
_LEASE_RETRY = 0.002


class FileSnapshot(NamedTuple):
    """What is at a path: type, size, and the bytes if they were read."""

    type: str  # regular, folder, fifo, socket, device, missing, unreadable
    size: int
    link: str  # none, inside, outside, dangling; linked: outside, at a place that may be read
    data: bytes


def read_snapshot(path: str, root: str, max_bytes: int, linked: Sequence[str] = ()) -> FileSnapshot:
    """Read a file without blocking: a FIFO or device is reported, not opened; a large file is not read.

    A symbolic link that leaves the root is not followed, whether the file is one or a folder above it, unless it leads
    to or below one of the places `linked`.
    """
    link = _link(path, root, linked)
    if link in ("outside", "dangling"):
        return FileSnapshot("missing" if link == "dangling" else "regular", 0, link, b"")
    try:
        descriptor = open_waiting(path, os.O_RDONLY)
    except OSError as error:
        kind = {errno.ENOENT: "missing", errno.ENOTDIR: "missing", errno.ENXIO: "socket"}.get(error.errno or 0)
        return FileSnapshot(kind or "unreadable", 0, link, b"")
    try:
        info = os.fstat(descriptor)
        kind = _TYPES.get(stat.S_IFMT(info.st_mode), "device")
        if kind != "regular" or info.st_size > max_bytes:
            return FileSnapshot(kind, info.st_size, link, b"")
        data = _read(descriptor, info.st_size, max_bytes)
        return FileSnapshot(kind, len(data), link, data if len(data) <= max_bytes else b"")
    except OSError:
        return FileSnapshot("unreadable", 0, link, b"")
    finally:
        os.close(descriptor)


def names_in(root: str, folder: str) -> list[str]:
    """Return the sorted names in a folder below a root; none if it is missing, no folder, or a link leads it out.

    Raises:
        UnreadableFileError: the system refused.
    """
    whole = os.path.join(root, folder)
    try:
        return [] if is_outside(whole, root) else sorted(os.listdir(whole))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        facts = {"reason": error.strerror}
        raise UnreadableFileError("could not be read: {reason}", path=folder or ".", facts=facts) from error


def read_head(root: str, path: str, size: int) -> bytes:
    """Return the first bytes of a file of a folder; none if it is no regular file in it, or cannot be read."""
    whole = os.path.join(root, path)
    if _link(whole, root, ()) not in ("none", "inside"):
        return b""
    try:
        descriptor = open_waiting(whole, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.pread(descriptor, size, 0) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def open_waiting(name: str, flags: int, folder: int | None = None) -> int:
    """Open a file without blocking at a FIFO; while a writer holds a lease on it, try again. Raises OSError."""
    until = time.monotonic() + _LEASE_SECONDS
    while True:
        try:
            return os.open(name, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0), dir_fd=folder)
        except BlockingIOError:
            if time.monotonic() > until:
                raise
            time.sleep(_LEASE_RETRY)


def read_private(path: str, max_bytes: int) -> bytes | None:
    """Return the content of a file of a state folder; None if it is missing, too large, or no regular file."""
    try:
        return read_stored(path, max_bytes)
    except OSError:
        return None


def read_stored(path: str, max_bytes: int) -> bytes | None:
    """Return what `read_private` does; raises OSError if the file is there and cannot be read."""
    try:
        with os.fdopen(open_waiting(path, os.O_RDONLY | _NOFOLLOW), "rb") as stream:
            data = stream.read(max_bytes + 1) if stat.S_ISREG(os.fstat(stream.fileno()).st_mode) else None
    except (FileNotFoundError, NotADirectoryError):
        return None
    return data if data is not None and len(data) <= max_bytes else None


def read_json(root: str, path: str, max_bytes: int) -> dict[str, object]:
    """Return the object in a JSON file of a folder; empty if there is none, it is damaged, or a link leads out."""
    whole = os.path.join(root, path)
    try:
        found = {} if is_outside(whole, root) else json.loads(read_private(whole, max_bytes) or b"")
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def make_private(path: str) -> None:
    """Take the permissions of others from a file or folder of the caches, as an earlier version or a copy left them."""
    with suppress(OSError):
        mode = os.lstat(path).st_mode
        if mode & _OTHERS and not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & stat.S_IRWXU)


def open_private(name: str, flags: int, folder: int | None = None) -> int:
    """Open a file that mdmem writes for itself, never through a link; a new one and an older one are 0600.

    Raises OSError.
    """
    descriptor = os.open(name, flags | _NOFOLLOW | getattr(os, "O_CLOEXEC", 0), 0o600, dir_fd=folder)
    take_from_others(descriptor)
    return descriptor


def take_from_others(descriptor: int) -> None:
    """Take the permissions of others from an open file or folder of ours; one of another user stays as it is."""
    with suppress(OSError):
        mode = os.fstat(descriptor).st_mode
        if mode & _OTHERS and hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(mode) & stat.S_IRWXU)


def make_private_folders(folder: str, top: str) -> None:
    """Make a folder for the user alone, with those above it; one from `top` on that is there loses wider modes.

    Raises OSError.
    """
    below = folder == top or folder.startswith(os.path.join(top, ""))
    if not os.path.isdir(folder):
        make_private_folders(os.path.dirname(folder), top)
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    elif below and folder != top:
        make_private_folders(os.path.dirname(folder), top)
    if below:
        make_private(folder)


def write_private(path: str, data: bytes, top: str, shown: str) -> None:
    """Replace a file of the user's state folder `top`, and make the folders that it needs. Raises WriteError."""
    from mdmem.store.durable import FolderEntry, write_new

    try:
        make_private_folders(os.path.dirname(path), top)
    except OSError as error:
        raise WriteError("could not be recorded: {reason}", path=shown, facts={"reason": error.strerror}) from error
    write_new(FolderEntry(None, path), data, shown)


def short_path(path: str) -> str:
    """Return a path with ~ for the home folder."""
    home = os.path.expanduser("~")
    return "~" + path.removeprefix(home) if path.startswith(home + os.sep) else path


def require_inside(path: str, folder: str) -> None:
    """Refuse a file that a link leads out of a folder: whoever wrote the folder would choose what is written.

    Raises:
        RefusedError: the file is elsewhere.
    """
    real, base = os.path.realpath(path), os.path.realpath(folder)
    if not real.startswith(os.path.join(base, "")):
        raise linked_away(path, real)


def linked_away(path: str, real: str) -> RefusedError:
    """Return the error for a path that a link leads elsewhere."""
    return RefusedError(
        "is a link to {target}, and is not written", path=short_path(path), facts={"target": short_path(real)},
        hint="if that file is yours, name it itself; nothing was changed",
    )  # fmt: skip


def file_size(root: str, path: str) -> int:
    """Return the bytes of a file of the workspace; -1 if there is no regular file, or the system does not tell."""
    try:
        info = os.stat(os.path.join(root, path))
    except OSError:
        return -1
    return info.st_size if stat.S_ISREG(info.st_mode) else -1


def _read(descriptor: int, size: int, most: int) -> bytes:
    """Read a file to its end, which may have moved since `size` was measured, up to one byte more than `most`."""
    pieces, left = [], most + 1
    while left > 0 and (piece := os.read(descriptor, min(left, size + 1))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _link(path: str, root: str, linked: Sequence[str]) -> str:
    is_link = os.path.islink(path)
    if not is_link and not _is_below_link(path, root):
        return "none"
    if is_outside(path, root):
        return "linked" if any(not is_outside(path, one) for one in linked) else "outside"
    if not is_link:
        return "none"
    return "inside" if os.path.exists(path) else "dangling"


def _is_below_link(path: str, root: str) -> bool:
    """Return whether one of the folders between a root and a path is a link."""
    folder = os.path.dirname(path)
    while len(folder) > len(root):
        if os.path.islink(folder):
            return True
        folder = os.path.dirname(folder)
    return False


def is_outside(path: str, root: str) -> bool:
    """Return whether links lead a path out of a folder."""
    target, top = os.path.realpath(path), os.path.realpath(root)
    return target != top and not target.startswith(top.rstrip(os.sep) + os.sep)


def create(path: str, data: bytes, shown: str) -> bool:
    """Write a new file and the folders that it needs; return False if the name exists, and leave that file unchanged.

    Raises:
        WriteError: the system refused; no partial file is left.
    """
    from mdmem.store.durable import FolderEntry, make_new

    folder, name = os.path.split(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY) if os.open in os.supports_dir_fd else None
    except OSError as error:
        raise WriteError("could not be created: {reason}", path=shown, facts={"reason": error.strerror}) from error
    try:
        return make_new(FolderEntry(descriptor, path if descriptor is None else name), data, shown)
    finally:
        if descriptor is not None:
            os.close(descriptor)


def read_bytes(path: str, shown: str) -> bytes:
    """Read a settings file or template.

    Raises:
        UnreadableFileError: the system refused.
    """
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise UnreadableFileError(
            "could not be read: {reason}", path=shown, facts={"reason": error.strerror}
        ) from error


_FIRST = 8192  # bytes
_GROWTH = 4


class BackwardReader(NamedTuple):
    """The last bytes of a file, and the offset where they begin."""

    data: bytes
    start: int


def read_backwards(descriptor: int, size: int, first: int = _FIRST) -> Iterator[BackwardReader]:
    """Yield the end of an open file, more of it each time, at last the whole file. Raises OSError."""
    data, start, length = b"", size, max(1, first)
    while start or not size:
        begin = max(0, size - length)
        data, start = _read_block(descriptor, begin, start) + data, begin
        yield BackwardReader(data, start)
        if not start:
            return
        length *= _GROWTH


def _read_block(descriptor: int, begin: int, end: int) -> bytes:
    pieces = []
    while begin < end and (piece := os.pread(descriptor, end - begin, begin)):
        pieces.append(piece)
        begin += len(piece)
    return b"".join(pieces)
