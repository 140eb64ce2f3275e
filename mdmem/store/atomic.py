"""The renames that the pen stands on: one that exchanges two names, and one that never replaces.

Linux and macOS have both as system calls; Python has neither, so they are called through the C library. Where they
are missing the pen falls back to a hard link and a plain rename, with a weaker promise (see `can_exchange`).
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

from mdmem.core.record import NamedTuple


class Name(NamedTuple):
    """A name in an open folder; `folder` is None where the system opens no file relative to a folder."""

    folder: int | None
    name: str

    def sibling(self, name: str) -> Name:
        """Give another name in the same folder."""
        return self._replace(name=os.path.join(os.path.dirname(self.name), name))


_NOREPLACE, _EXCHANGE = {"linux": (1, 2), "darwin": (4, 2)}.get(sys.platform, (0, 0))
_MISSING = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP}  # the kernel, or this file system, does not know the flag


@cache
def _rename() -> Callable[..., int] | None:
    name = {"linux": "renameat2", "darwin": "renameatx_np"}.get(sys.platform)
    call = getattr(ctypes.CDLL(None, use_errno=True), name, None) if name else None
    if call is not None:
        call.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    return call


def _flagged(source: Name, target: Name, flag: int) -> bool:
    """Rename with a flag; False where the system does not know it."""
    call = _rename()
    if call is None or source.folder is None or target.folder is None:
        return False
    if call(source.folder, os.fsencode(source.name), target.folder, os.fsencode(target.name), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _MISSING:
        return False
    raise OSError(code, os.strerror(code))


def exchange(one: Name, other: Name) -> bool:
    """Let two names change places in one step; False where the system cannot."""
    return _flagged(one, other, _EXCHANGE)


def rename_new(source: Name, target: Name) -> None:
    """Rename, unless the new name is taken.

    Raises:
        FileExistsError: it is; nothing was changed.
    """
    if _flagged(source, target, _NOREPLACE):
        return
    os.link(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder, follow_symlinks=False)
    os.unlink(source.name, dir_fd=source.folder)


def rename(source: Name, target: Name) -> None:
    """Rename over whatever has the new name."""
    os.rename(source.name, target.name, src_dir_fd=source.folder, dst_dir_fd=target.folder)


def can_exchange(folder: Name) -> bool:
    """Tell whether two names can change places in this folder, by doing it with two files of our own."""
    names = [folder.sibling(f".{os.urandom(8).hex()}.mdmem") for _ in range(2)]
    try:
        for one in names:
            os.close(os.open(one.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=one.folder))
        return exchange(*names)
    except OSError:
        return False
    finally:
        for one in names:
            discard(one)


def discard(name: Name) -> None:
    """Remove a file that was never anybody's but ours, if it is there."""
    try:
        os.unlink(name.name, dir_fd=name.folder)
    except OSError:
        return


def sync(folder: Name) -> None:
    """Make the names in a folder outlive a power cut."""
    if folder.folder is not None:
        os.fsync(folder.folder)
