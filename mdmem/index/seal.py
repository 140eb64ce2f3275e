"""How an index is known to be our own and whole: by which file it is, and when the system last saw it change.

Beside `index.db` lies `index.seal` with the inode, size and times of the file as we left it. Nobody can give a file
a change time of his choice, so whatever is not sealed (copied in, cut short, written to by others, half written by a
process that died, made by another version) is not opened at all; it is built again.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time

_TICK = 0.011  # seconds; within one tick of the system's clock two writes have the same time


def mark(path: str, version: str) -> str | None:
    """Describe the file that lies at a path now; None where no regular file does."""
    try:
        seen = os.lstat(path)
    except OSError:
        return None
    if not stat.S_ISREG(seen.st_mode):
        return None
    return f"{version} {seen.st_dev} {seen.st_ino} {seen.st_size} {seen.st_mtime_ns} {seen.st_ctime_ns}"


def sealed(path: str, version: str) -> str | None:
    """Give the mark of an index if it is as we left it."""
    try:
        with open(_place(path), "rb") as stream:
            said = stream.read(512).decode("ascii", "replace")
    except OSError:
        return None
    found = mark(path, version)
    return found if found == said else None


def seal(path: str, version: str) -> str | None:
    """Vouch for an index as it is now, once nobody else can write to it in the same tick of the clock."""
    found = mark(path, version)
    if found:
        temporary = f"{_place(path)}.{os.getpid()}"
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(found.encode())
        os.replace(temporary, _place(path))
        time.sleep(_TICK)
    return found


def remove(path: str) -> None:
    """Remove an index with all that lies beside it; what is not there is no harm."""
    for name in all_of(path):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(name)


def all_of(path: str) -> tuple[str, ...]:
    """Name an index and all that may lie beside it: its seal, a half-built one, what SQLite makes."""
    return (_place(path), *(path + ending for ending in ("", "-journal", "-wal", "-shm", ".new", ".new-journal")))


def _place(path: str) -> str:
    return f"{path.removesuffix('.db')}.seal"
