"""One lock a file, held by the pen while it works on it; a process that dies gives its locks back at once."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

from mdmem.errors import LockedError, WriteError
from mdmem.store.files import digest
from mdmem.store.root import Root

FOLDER = ".mdmem/locks"
_LOOK_AGAIN = 0.002  # seconds


def key(path: str) -> str:
    """Give the name that a file's lock and its history go by."""
    return digest(path)


@contextmanager
def locked(root: Root, paths: Iterable[str], seconds: float) -> Iterator[None]:
    """Hold the locks of these files, taken in one order by everybody, so that no two writers wait for each other.

    Raises:
        LockedError: another writer held one for longer than these seconds.
        WriteError: the system cannot lock here; a weaker lock is no lock.
    """
    from filelock import unlock_descriptor

    until = time.monotonic() + seconds
    held: list[int] = []
    try:
        for path in sorted(set(paths)):
            descriptor = _open(root, path)
            held.append(descriptor)
            _wait(descriptor, path, until)
        yield
    finally:
        for descriptor in reversed(held):
            with suppress(OSError):  # said aloud, because a forked child may still have it open
                unlock_descriptor(descriptor)
            with suppress(OSError):
                os.close(descriptor)


def known(root: Root, path: str) -> bool:
    """Tell whether a file was ever locked here: whether mdmem has written it, or tried to."""
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
                raise LockedError("another writer is at work there", path=path, hint="nothing was changed; try again")
            time.sleep(_LOOK_AGAIN)
    except OSError as error:
        raise WriteError(
            "could not be locked: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error
