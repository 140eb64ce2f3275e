"""One process at a time writes an index; a process that dies gives its lock back at once."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_LOOK_AGAIN = 0.002  # seconds


class BusyError(Exception):
    """Another process wrote for longer than we would wait."""


def prepare(path: str, *, above: bool) -> None:
    """Make the folder that an index lies in, and with `above` those it lies in; raises OSError where it cannot be."""
    folder = os.path.dirname(path)
    if above:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    elif not os.path.lexists(folder):
        with suppress(FileExistsError):
            os.mkdir(folder, 0o700)
    if not stat.S_ISDIR(os.lstat(folder).st_mode):
        raise NotADirectoryError(folder)


@contextmanager
def locked(path: str, seconds: float) -> Iterator[None]:
    """Hold the lock beside an index; raises BusyError, OSError."""
    from filelock import lock_descriptor, unlock_descriptor

    until = time.monotonic() + seconds
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(f"{path.removesuffix('.db')}.lock", flags, 0o600)
    try:
        while not lock_descriptor(descriptor, blocking=False):
            if time.monotonic() > until:
                raise BusyError
            time.sleep(_LOOK_AGAIN)
        yield
    finally:
        with suppress(OSError):  # said aloud, because a forked child may still have it open
            unlock_descriptor(descriptor)
        os.close(descriptor)
