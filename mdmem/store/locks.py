"""Locks files, one lock per file, while the pen works on them. The system releases the locks of a dead process."""

# `filelock` is imported only if a file is locked: most commands write nothing.
from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from mdmem.errors import LockedError, WriteError
from mdmem.store.files import digest
from mdmem.store.root import Root

FOLDER = ".mdmem/locks"
_RETRY = 0.002  # seconds


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
    from filelock import unlock_descriptor

    until = time.monotonic() + seconds
    descriptors: list[int] = []
    try:
        for path in sorted(set(paths)):
            descriptor = _open(root, path)
            descriptors.append(descriptor)
            _wait(descriptor, path, until)
        yield
    finally:
        for descriptor in reversed(descriptors):
            with suppress(OSError):  # explicit, because a forked child may still have the file open
                unlock_descriptor(descriptor)
            with suppress(OSError):
                os.close(descriptor)


def was_locked(root: Root, path: str) -> bool:
    """Return whether mdmem has ever locked a file: it has written the file, or tried to."""
    try:
        name = root.place(f"{FOLDER}/{key(path)}").name
        os.stat(name.name, dir_fd=name.folder)
    except FileNotFoundError:
        return False
    return True


def _open(root: Root, path: str) -> int:
    name = root.place(f"{FOLDER}/{key(path)}", make=True).name
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
        return os.open(name.name, flags, 0o600, dir_fd=name.folder)
    except OSError as error:
        raise WriteError(
            "could not be locked: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error


def _wait(descriptor: int, path: str, until: float) -> None:
    from filelock import lock_descriptor

    try:
        while not lock_descriptor(descriptor, blocking=False):
            if time.monotonic() > until:
                raise LockedError(
                    "another process is writing this file", path=path, hint="nothing was changed; try again"
                )
            time.sleep(_RETRY)
    except OSError as error:
        raise WriteError(
            "could not be locked: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error
