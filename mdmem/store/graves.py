"""Where displaced files lie: what was once live is not unlinked before it is sure that nobody still writes into it.

An editor may have opened a file just before the pen replaced it, and save into what was displaced. So each displaced
file is kept as it is, looked at again after a while, and only then removed; a late save is found and merged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from mdmem.core.record import NamedTuple
from mdmem.store import locks
from mdmem.store.atomic import Name, rename
from mdmem.store.lease import leased
from mdmem.store.record import fingerprint
from mdmem.store.root import Place, Root, open_file, read_open

FOLDER = ".mdmem/history/graves"


class Late(NamedTuple):
    """A save that came after its file had been replaced."""

    grave: Place
    base: str  # digest of what the file held when it was displaced
    data: bytes


def bury(root: Root, temporary: Name, path: str, digest: str) -> None:
    """Move a displaced file into its grave; `digest` is that of what it held. Raises OSError."""
    grave = root.place(f"{FOLDER}/{locks.key(path)}/{time.time_ns():020d}-{digest}", make=True)
    rename(temporary, grave.name)


def late(root: Root, path: str, grave_seconds: int) -> Iterator[Late]:
    """Look at the graves of a file that are old enough: give the late saves, remove what stayed as it was."""
    folder = f"{FOLDER}/{locks.key(path)}"
    before = time.time_ns() - grave_seconds * 1_000_000_000
    for name in root.names(folder):
        buried, _, digest = name.partition("-")
        if not buried.isdecimal() or int(buried) > before:
            return
        place = root.place(f"{folder}/{name}")
        data = _settled(place)
        if data is None:
            continue
        if data and fingerprint(data) != digest:
            yield Late(place, digest, data)
        else:  # as it was, or emptied and never filled again, which is no save
            os.unlink(place.name.name, dir_fd=place.name.folder)


def _settled(place: Place) -> bytes | None:
    """Read a grave that nobody has open for writing; None where somebody has."""
    descriptor = open_file(place)
    try:
        with leased(descriptor, 0) as lease:
            return None if lease.busy else read_open(descriptor, place.path).data
    finally:
        os.close(descriptor)
