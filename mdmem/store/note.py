"""What is being added to a file, noted beside its lock while it lasts, so that a torn tail is known for one."""

from __future__ import annotations

import json
import os
from contextlib import suppress

from mdmem.core.record import NamedTuple
from mdmem.store import locks
from mdmem.store.atomic import Name, discard
from mdmem.store.durable import write_all
from mdmem.store.publish import Key
from mdmem.store.root import Root, read

_SUFFIX = ".append"
_LONGEST = 1 << 16  # bytes of a note


class Note(NamedTuple):
    """What is about to be added to a file."""

    path: str
    start: int  # bytes before it
    length: int  # of the record
    head: str  # its first line that says something, which is no secret
    file: Key  # which file it is, whatever its name


def noted(root: Root) -> list[str]:
    """Give the paths of the files to which something was being added; a crash may have left it half done."""
    names = (name for name in root.names(locks.FOLDER) if name.endswith(_SUFFIX))
    notes = (_parse(root, f"{locks.FOLDER}/{name}") for name in names)
    return [note.path for note in notes if note]


def forget(root: Root, path: str) -> None:
    """Take the note away, once what it speaks of is settled."""
    with suppress(FileNotFoundError):
        discard(root.place(_note(path)).name)


def write_note(root: Root, note: Note) -> Name:
    """Write the note; it must outlive this process, not a power cut."""
    name = root.place(_note(note.path), make=True).name
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(name.name, flags, 0o600, dir_fd=name.folder)
    try:
        write_all(descriptor, json.dumps(note).encode())
    finally:
        os.close(descriptor)
    return name


def read_note(root: Root, path: str) -> Note | None:
    """Give the note about a file; None where nothing is being added to it."""
    return _parse(root, _note(path))


def _note(path: str) -> str:
    return f"{locks.FOLDER}/{locks.key(path)}{_SUFFIX}"


def _parse(root: Root, path: str) -> Note | None:
    try:
        found = read(root.place(path), _LONGEST)
        if found is None:
            return None
        named, start, length, head, (device, inode) = json.loads(found.data)
    except (FileNotFoundError, ValueError, TypeError, RecursionError):
        return None
    return Note(named, start, length, head, (device, inode))
