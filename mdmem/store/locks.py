"""Locks files, one lock per file, while the pen works on them. The system releases the locks of a dead process.

The locks are those of `filelock`, which is imported when the first one is taken: most commands write nothing.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from mdmem.errors import LockedError, WriteError
from mdmem.store.durable import FolderEntry
from mdmem.store.files import digest, open_private
from mdmem.store.root import Root

if sys.platform != "win32":
    import resource
else:
    resource = None

FOLDER = ".mdmem/locks"
_RETRY = 0.002  # seconds
_MANY = 64  # locks from which on the process is let open more files
_EACH = 4  # descriptors for a file: its lock, its folder, those of its versions


class DescriptorLock:
    """A lock of `filelock` on a file that the caller has opened.

    `filelock.FileLock` opens its file by path. We use its lock of a descriptor instead, for three reasons:

    - The lock file is opened below the descriptor of its folder, so that a link put in the way leads nowhere.
    - Who waited for a lock file that was deleted meanwhile opens the new one; see `locked`.
    - A child that was forked meanwhile has the same open file. Only the process that took the lock unlocks it.
    """

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self._owner = descriptor, os.getpid()

    def acquire(self, until: float) -> bool:
        """Take the lock; return False if another one held it until a time of `time.monotonic`.

        Raises OSError where the system cannot lock the file; no weaker lock is used.
        """
        from filelock import lock_descriptor

        while not lock_descriptor(self.descriptor, blocking=False):
            if time.monotonic() > until:
                return False
            time.sleep(_RETRY)
        return True

    def release(self) -> None:
        """Give the lock back and close the file; raises OSError."""
        from filelock import unlock_descriptor

        try:
            if os.getpid() == self._owner:
                unlock_descriptor(self.descriptor)  # explicit, because a child may still have it open
        finally:
            os.close(self.descriptor)


class _OpenFileLimit:
    """How many files this process may open; raised while any of its threads holds many locks.

    Many systems let a process open 256 or 1,024 files at first, and a change may be of thousands. The limit is one for
    all threads: the last of those that raised it puts it back.
    """

    def __init__(self) -> None:
        self._mutex, self._users, self._before = threading.Lock(), 0, (0, 0)

    @contextmanager
    def room_for(self, files: int) -> Iterator[None]:
        """Raise the limit while the locks of so many files are held, as far as the system allows."""
        if resource is None or files < _MANY:
            yield
            return
        with self._mutex:
            self._enter(_EACH * files)
        try:
            yield
        finally:
            with self._mutex:
                self._leave()

    def _enter(self, more: int) -> None:
        soft, hard = now = resource.getrlimit(resource.RLIMIT_NOFILE)
        if not self._users:
            self._before = now
        self._users += 1
        if soft != resource.RLIM_INFINITY:
            wanted = soft + more
            _set_limit((wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))

    def _leave(self) -> None:
        self._users -= 1
        if not self._users:
            _set_limit(self._before)


def _set_limit(limit: tuple[int, int]) -> None:
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, limit)


_OPEN_FILES = _OpenFileLimit()


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
    until = time.monotonic() + seconds
    wanted = sorted(set(paths))
    held: list[DescriptorLock] = []
    with _OPEN_FILES.room_for(len(wanted)):
        try:
            for path in wanted:
                held.append(_held(root, path, until))  # noqa: PERF401 - if one fails, the others are given back
            yield
        finally:
            for lock in reversed(held):
                with suppress(OSError):
                    lock.release()


def was_locked(root: Root, path: str) -> bool:
    """Return whether mdmem has ever locked a file: it has written the file, or tried to."""
    with _refusals(path):
        try:
            name = root.place(f"{FOLDER}/{key(path)}").name
            os.stat(name.name, dir_fd=name.folder)
        except FileNotFoundError:
            return False
    return True


def _held(root: Root, path: str, until: float) -> DescriptorLock:
    """Return the taken lock of a path; that of a new lock file if the one it waited for was deleted meanwhile."""
    while True:
        name = root.place(f"{FOLDER}/{key(path)}", make=True).name
        lock = DescriptorLock(_open(name, path))
        try:
            _wait(lock, path, until)
            with _refusals(path):
                stands = _stands(name, lock.descriptor)
        except BaseException:
            _close(lock.descriptor)
            raise
        if stands:
            return lock
        _close(lock.descriptor)


def _close(descriptor: int) -> None:
    """Close a lock file, into which nothing was written: an error of the system hides no other one."""
    with suppress(OSError):
        os.close(descriptor)


def _open(name: FolderEntry, path: str) -> int:
    with _refusals(path):
        return open_private(name.name, os.O_RDWR | os.O_CREAT, name.folder)


@contextmanager
def _refusals(path: str) -> Iterator[None]:
    """Turn an error of the system at a lock into a WriteError."""
    try:
        yield
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


def _wait(lock: DescriptorLock, path: str, until: float) -> None:
    with _refusals(path):
        if lock.acquire(until):
            return
    raise LockedError("another process is writing this file", path=path, hint="nothing was changed; try again")
