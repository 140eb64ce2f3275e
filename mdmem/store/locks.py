"""Locks files, one lock per file, while the pen works on them. The system releases the locks of a dead process.

A lock is `flock(2)` on a lock file. `filelock` takes the same lock, but it loads logging, random numbers and decimals
with it, which cost each write 12 ms; so it is used only where the system has no `flock`.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from mdmem.errors import LockedError, WriteError
from mdmem.store.durable import FolderEntry
from mdmem.store.files import digest
from mdmem.store.root import Root

if sys.platform == "win32":
    from filelock import lock_descriptor, unlock_descriptor

    def _try_lock(descriptor: int) -> bool:
        return lock_descriptor(descriptor, blocking=False)

    _unlock = unlock_descriptor

else:
    from fcntl import LOCK_EX, LOCK_NB, LOCK_UN, flock

    def _try_lock(descriptor: int) -> bool:
        try:
            flock(descriptor, LOCK_EX | LOCK_NB)
        except OSError as error:
            if error.errno in _LOCKED:
                return False
            raise
        return True

    def _unlock(descriptor: int) -> None:
        flock(descriptor, LOCK_UN)


FOLDER = ".mdmem/locks"
_RETRY = 0.002  # seconds
_LOCKED = (errno.EAGAIN, errno.EWOULDBLOCK, errno.EACCES)  # by another process


def key(path: str) -> str:
    """Return the name that the lock and the displaced files of a path have."""
    return digest(path)


@contextmanager
def locked(root: Root, paths: Iterable[str], seconds: float) -> Iterator[None]:
    """Hold the locks of these files.

    All callers take them in the same order, so that no two writers wait for each other.

    Raises:
        LockedError: another writer held a lock for longer than `seconds`.
        WriteError: the system cannot lock here; no weaker lock is used.
    """
    until, owner = time.monotonic() + seconds, os.getpid()
    descriptors: list[int] = []
    try:
        for path in sorted(set(paths)):
            descriptors.append(_held(root, path, until))  # noqa: PERF401 - if one fails, the others are given back
        yield
    finally:
        for descriptor in reversed(descriptors):
            with suppress(OSError):
                release(descriptor, owner)


def was_locked(root: Root, path: str) -> bool:
    """Return whether mdmem has ever locked a file: it has written the file, or tried to."""
    try:
        name = root.place(f"{FOLDER}/{key(path)}").name
        os.stat(name.name, dir_fd=name.folder)
    except FileNotFoundError:
        return False
    return True


def _held(root: Root, path: str, until: float) -> int:
    """Return the descriptor of a path's lock file, which is locked; of a new one if it was deleted meanwhile."""
    while True:
        name = root.place(f"{FOLDER}/{key(path)}", make=True).name
        descriptor = _open(name, path)
        try:
            _wait(descriptor, path, until)
        except BaseException:
            os.close(descriptor)
            raise
        if _stands(name, descriptor):
            return descriptor
        os.close(descriptor)


def _open(name: FolderEntry, path: str) -> int:
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        return os.open(name.name, flags, 0o600, dir_fd=name.folder)
    except OSError as error:
        raise WriteError(
            "could not be locked: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error


def _stands(name: FolderEntry, descriptor: int) -> bool:
    """Return whether a lock file is still the one under its name."""
    try:
        return os.path.samestat(os.stat(name.name, dir_fd=name.folder), os.fstat(descriptor))
    except FileNotFoundError:
        return False


def _wait(descriptor: int, path: str, until: float) -> None:
    try:
        if acquire(descriptor, until):
            return
    except OSError as error:
        raise WriteError(
            "could not be locked: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error
    raise LockedError("another process is writing this file", path=path, hint="nothing was changed; try again")


def acquire(descriptor: int, until: float) -> bool:
    """Lock an open file; return False if another process held its lock until a time of `time.monotonic`.

    Raises OSError where the system cannot lock the file.
    """
    while not _try_lock(descriptor):
        if time.monotonic() > until:
            return False
        time.sleep(_RETRY)
    return True


def release(descriptor: int, owner: int) -> None:
    """Unlock an open file and close it; raises OSError.

    Only `owner`, the process that locked it, unlocks: a child that was forked meanwhile has the same open file.
    """
    try:
        if os.getpid() == owner:
            _unlock(descriptor)  # explicit, because such a child may still have it open
    finally:
        os.close(descriptor)
