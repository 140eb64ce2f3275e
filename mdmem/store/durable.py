"""Writes files that are whole from the moment they have their name, and outlive a power cut."""

from __future__ import annotations

import os
from collections.abc import Callable

from mdmem.errors import WriteError
from mdmem.store.atomic import Name, discard, rename, rename_new, sync


def write_new(name: Name, data: bytes, shown: str) -> None:
    """Write a file that is whole from the moment it has its name, and outlives a power cut.

    Raises:
        WriteError: the system refused; no file of that name was made.
    """
    _write(name, data, shown, rename)


def make_new(name: Name, data: bytes, shown: str) -> bool:
    """Write a file, unless there is one of that name: False, and it is left alone; raises WriteError."""
    try:
        _write(name, data, shown, rename_new)
    except FileExistsError:
        return False
    return True


def _write(name: Name, data: bytes, shown: str, put: Callable[[Name, Name], None]) -> None:
    temporary = name.sibling(f".{os.urandom(8).hex()}.mdmem")
    try:
        fill(temporary, data)
        put(temporary, name)
        sync(name)
    except FileExistsError:
        discard(temporary)
        raise
    except OSError as error:
        discard(temporary)
        raise WriteError(f"could not be written: {error.strerror}", path=shown, hint="nothing was changed") from error


def fill(name: Name, data: bytes, dress: Callable[[int], None] | None = None) -> None:
    """Make a file of this content that nobody else has, and wait until the disk has it; raises OSError.

    `dress` may give the open file what else belongs to it before it is durable.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(name.name, flags, 0o600, dir_fd=name.folder)
    try:
        write_all(descriptor, data)
        if dress:
            dress(descriptor)
        os.fsync(descriptor)  # a failed one is never tried again on this file: it would lie
    except OSError:
        discard(name)
        raise
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; the system may take them in pieces."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
