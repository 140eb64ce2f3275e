"""Durable files: renames that exchange two names or never overwrite, and writes that survive a power cut.

Linux and macOS have both renames as system calls. Python does not offer them, so they are called through the C library.
Where they are missing, a hard link and a plain rename replace them, with a weaker promise (see `can_exchange`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import NamedTuple, TypeVar

from mdmem.errors import MdmemError, WriteError

_Item = TypeVar("_Item")


class FolderEntry(NamedTuple):
    """A name in an open folder; `folder` is None if the system cannot open files relative to a folder."""

    folder: int | None
    name: str

    def sibling(self, name: str) -> FolderEntry:
        """Return another name in the same folder."""
        return self._replace(name=os.path.join(os.path.dirname(self.name), name))


_NOREPLACE, _EXCHANGE = {"linux": (1, 2), "darwin": (4, 2)}.get(sys.platform, (0, 0))
_MISSING = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}  # the kernel or the file system does not support the flag


@cache
def _rename() -> Callable[..., int] | None:
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
    if call is not None:
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call


def _flagged(source: FolderEntry, target: FolderEntry, flag: int) -> bool:
    """Rename with a flag; return False if the system does not support it."""
    call = _rename()
    if call is None or source.folder is None or target.folder is None:
        return False
    if call(source.folder, os.fsencode(source.name), target.folder, os.fsencode(target.name), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _MISSING:
        return False
    raise OSError(code, os.strerror(code))


def exchange(one: FolderEntry, other: FolderEntry) -> bool:
    """Exchange two names in one step; return False if the system cannot."""
    return _flagged(one, other, _EXCHANGE)


def rename_new(source: FolderEntry, target: FolderEntry) -> None:
    """Rename, unless the new name exists.

    Raises:
        FileExistsError: the new name exists; nothing was changed.
    """
    if _flagged(source, target, _NOREPLACE):
        return
    os.link(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder, follow_symlinks=False)
    os.unlink(source.name, dir_fd=source.folder)


def rename(source: FolderEntry, target: FolderEntry) -> None:
    """Rename, and replace the file that has the new name."""
    os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)


def can_exchange(folder: FolderEntry) -> bool:
    """Return whether two names in this folder can be exchanged, tested with two new files."""
    names = [folder.sibling(f".{os.urandom(8).hex()}.mdmem") for _ in range(2)]
    try:
        for entry in names:
            os.close(os.open(entry.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=entry.folder))
        return exchange(*names)
    except OSError:
        return False
    finally:
        for entry in names:
            discard(entry)


def discard(name: FolderEntry) -> None:
    """Remove a file that only mdmem has used, if it exists."""
    try:
        os.unlink(name.name, dir_fd=name.folder)
    except OSError:
        return


def sync(folder: FolderEntry) -> None:
    """Make the names in a folder durable, so that they survive a power cut."""
    if folder.folder is not None:
        os.fsync(folder.folder)


def write_new(name: FolderEntry, data: bytes, shown: str) -> None:
    """Write a file durably; it is complete from the moment it has its name.

    Raises:
        WriteError: the system refused; no file of that name was made.
    """
    _write(name, data, shown, rename)


def make_new(name: FolderEntry, data: bytes | Iterable[bytes], shown: str) -> bool:
    """Write a file unless the name exists; return False if it does. Raises WriteError."""
    try:
        _write(name, data, shown, rename_new)
    except FileExistsError:
        return False
    return True


def _write(
    name: FolderEntry,
    data: bytes | Iterable[bytes],
    shown: str,
    rename_to: Callable[[FolderEntry, FolderEntry], None],
) -> None:
    temporary = name.sibling(f".{os.urandom(8).hex()}.mdmem")
    try:
        fill(temporary, data)
        rename_to(temporary, name)
        sync(name)
    except (FileExistsError, MdmemError):  # the second is of who makes the data
        discard(temporary)
        raise
    except OSError as error:
        discard(temporary)
        raise WriteError(
            "could not be written: {reason}", path=shown, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error


_MANY, _AT_ONCE = 16, 8  # files from which on the waits overlap, and how many wait together


def overlapped(write: Callable[[_Item], object], items: Sequence[_Item]) -> None:
    """Call a function that waits for the disk for each item; the waits of many overlap.

    The system makes many files durable in one go if they are asked for at once. The first error is raised, and no call
    is under way then. The function must open no folder of a `Root`.
    """
    if len(items) < _MANY:
        for item in items:
            write(item)
        return
    from concurrent.futures import ThreadPoolExecutor  # most changes are of one file

    with ThreadPoolExecutor(_AT_ONCE) as pool:
        calls = [pool.submit(write, item) for item in items]
        try:
            for call in calls:
                call.result()
        finally:
            pool.shutdown(cancel_futures=True)


def fill(name: FolderEntry, data: bytes | Iterable[bytes], prepare: Callable[[int], None] | None = None) -> None:
    """Create a file with this content, durably. Raises OSError.

    The pieces of a large file are written one by one. `prepare` may set other properties of the open file before
    it is durable.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(name.name, flags, 0o600, dir_fd=name.folder)
    try:
        for piece in (data,) if isinstance(data, bytes) else data:
            write_all(descriptor, piece)
        if prepare:
            prepare(descriptor)
        os.fsync(descriptor)  # never retry a failed fsync on the same file: it would report success
    except OSError:
        discard(name)
        raise
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write all bytes; the system may take them in pieces."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
