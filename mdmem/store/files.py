"""Reads files as they are, and replaces one whole: the two places where mdmem touches a person's bytes."""

import contextlib
import errno
import os
import stat
from typing import NamedTuple

from mdmem.errors import UnreadableFileError, WriteError

_TYPES = {
    stat.S_IFREG: "regular",
    stat.S_IFDIR: "folder",
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
}


class Seen(NamedTuple):
    """What was found at a path: its type and size, and the bytes where they were read."""

    type: str  # regular, folder, fifo, socket, device, missing, unreadable
    size: int
    link: str  # none, inside, outside, dangling
    data: bytes


def look(path: str, root: str, max_bytes: int) -> Seen:
    """Look at a file without ever waiting on it: a FIFO or device is named, not opened; a large file is not read.

    A symbolic link that leaves the root is not followed.
    """
    link = _link(path, root)
    if link in ("outside", "dangling"):
        return Seen("missing" if link == "dangling" else "regular", 0, link, b"")
    try:
        # O_NONBLOCK: between the look and the open a file may become a FIFO
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except OSError as error:
        kind = {errno.ENOENT: "missing", errno.ENOTDIR: "missing", errno.ENXIO: "socket"}.get(error.errno or 0)
        return Seen(kind or "unreadable", 0, link, b"")
    try:
        found = os.fstat(descriptor)
        kind = _TYPES.get(stat.S_IFMT(found.st_mode), "device")
        if kind != "regular" or found.st_size > max_bytes:
            return Seen(kind, found.st_size, link, b"")
        data = _read(descriptor, found.st_size, max_bytes)
        return Seen(kind, len(data), link, data if len(data) <= max_bytes else b"")
    except OSError:
        return Seen("unreadable", 0, link, b"")
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int, most: int) -> bytes:
    """Read a file to its end, which may have moved since it was measured, but not beyond one byte too many."""
    pieces, left = [], most + 1
    while left > 0 and (piece := os.read(descriptor, min(left, size + 1))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def _link(path: str, root: str) -> str:
    if not os.path.islink(path):
        return "none"
    target, top = os.path.realpath(path), os.path.realpath(root)
    if target != top and not target.startswith(top.rstrip(os.sep) + os.sep):
        return "outside"
    return "inside" if os.path.exists(target) else "dangling"


def replace(path: str, expected: bytes, data: bytes, shown: str) -> None:
    """Put new bytes in a file's place, whole or not at all: a temporary beside it, fsync, its mode, rename, fsync.

    A symbolic link keeps pointing where it did; its target is replaced. `shown` names the file in messages.

    Raises:
        WriteError: the file no longer holds `expected`, or the system refused; the file is as it was, unless the
            message says that it was written.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:40]}.{os.urandom(8).hex()}.tmp")
    try:
        before = os.stat(target)
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(data)
                stream.flush()
                _keep(stream.fileno(), before)
                os.fsync(stream.fileno())
            _expect(target, expected, shown)
            os.replace(temporary, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise WriteError(f"could not be written: {error.strerror}", path=shown, hint="nothing was changed") from error
    try:
        _sync_folder(folder)
    except OSError as error:
        raise WriteError(f"was written, but may not outlive a power cut: {error.strerror}", path=shown) from error


def create(path: str, data: bytes, shown: str) -> bool:
    """Write a new file; False where something stands there already, which is then left alone.

    Raises:
        WriteError: the system refused; no half file is left.
    """
    try:
        if not os.path.isdir(os.path.dirname(path)):
            os.makedirs(os.path.dirname(path), mode=0o700)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        if os.path.lexists(path):
            return False
        raise WriteError(f"could not be created: {error.strerror}", path=shown) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        _sync_folder(os.path.dirname(path))
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(path)
        raise WriteError(f"could not be written: {error.strerror}", path=shown) from error
    return True


def read_bytes(path: str, shown: str) -> bytes:
    """Read a settings file or template.

    Raises:
        UnreadableFileError: the system refused.
    """
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError as error:
        raise UnreadableFileError(f"could not be read: {error.strerror}", path=shown) from error


def _expect(target: str, expected: bytes, shown: str) -> None:
    if read_bytes(target, shown) != expected:
        raise WriteError("changed while it was being fixed", path=shown, hint="run the command again")


def _keep(descriptor: int, before: os.stat_result) -> None:
    os.fchmod(descriptor, stat.S_IMODE(before.st_mode))
    with contextlib.suppress(PermissionError):  # only root may give a file away; the mode stays either way
        os.fchown(descriptor, before.st_uid, before.st_gid)


def _sync_folder(folder: str) -> None:
    descriptor = os.open(folder or ".", os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
