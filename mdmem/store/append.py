"""What is being added to a file, noted beside its lock while it lasts, so that a torn tail is known for one."""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import NamedTuple

from mdmem.errors import UnreadableFileError, WriteError
from mdmem.store import locks
from mdmem.store.durable import FolderEntry, discard, write_all
from mdmem.store.files import BackwardReader, read_backwards
from mdmem.store.mirror import file_state
from mdmem.store.replace import Key, StaleBase, file_identity, leased
from mdmem.store.root import ResolvedPath, Root, open_file, read

_SUFFIX = ".append"
_LONGEST = 1 << 16  # bytes of a note


class AppendIntent(NamedTuple):
    """What is about to be added to a file."""

    path: str
    start: int  # bytes before it
    length: int  # of the record
    head: str  # its first line that says something, which is no secret
    file: Key  # which file it is, whatever its name


def pending_appends(root: Root) -> list[str]:
    """Give the paths of the files to which something was being added; a crash may have left it half done."""
    names = (name for name in root.names(locks.FOLDER) if name.endswith(_SUFFIX))
    notes = (_parse(root, f"{locks.FOLDER}/{name}") for name in names)
    return [note.path for note in notes if note]


def remove_append_note(root: Root, path: str) -> None:
    """Take the note away, once what it speaks of is settled."""
    with suppress(FileNotFoundError):
        discard(root.place(_note(path)).name)


def write_note(root: Root, note: AppendIntent) -> FolderEntry:
    """Write the note; it must outlive this process, not a power cut."""
    name = root.place(_note(note.path), make=True).name
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    descriptor = os.open(name.name, flags, 0o600, dir_fd=name.folder)
    try:
        write_all(descriptor, json.dumps(note).encode())
    finally:
        os.close(descriptor)
    return name


def read_note(root: Root, path: str) -> AppendIntent | None:
    """Give the note about a file; None where nothing is being added to it."""
    return _parse(root, _note(path))


def _note(path: str) -> str:
    return f"{locks.FOLDER}/{locks.key(path)}{_SUFFIX}"


def _parse(root: Root, path: str) -> AppendIntent | None:
    try:
        found = read(root.place(path), _LONGEST)
        if found is None:
            return None
        named, start, length, head, (device, inode) = json.loads(found.data)
    except (FileNotFoundError, ValueError, TypeError, RecursionError):
        return None
    return AppendIntent(named, start, length, head, (device, inode))


Make = Callable[[Iterator[BackwardReader]], bytes]  # from the end of the file to the record, which ends in a newline

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO is opened without waiting, and then refused
_LOOK_AGAIN = 0.005  # seconds
_LOOK = 16  # bytes at the end of a file that show whether it ends as text does


class AddedRecord(NamedTuple):
    """A record that was added."""

    size: int  # bytes of the file now
    data: bytes  # what was added
    state: str  # of the file behind it; see `file_state`


def add(root: Root, place: ResolvedPath, make: Make, *, max_bytes: int, stable_ms: int) -> AddedRecord:
    """Add a record to a file whose lock the caller holds.

    Raises:
        Moved: an editor has put another file in its place, or saved over it; begin again.
        WriteError: the system refused, or the file would grow beyond these bytes; it is as it was.
        UnreadableFileError: it is not there, or no regular file.
    """
    descriptor = _open(place, stable_ms / 1000)
    try:
        found = os.fstat(descriptor)
        size, key = found.st_size, (found.st_dev, found.st_ino)
        data = _joint(descriptor, size) + make(read_backwards(descriptor, size))
        if size + len(data) > max_bytes:
            message, facts = (
                "would have {size} bytes; a memory has at most {max}",
                {"size": size + len(data), "max": max_bytes},
            )
            raise WriteError(message, path=place.path, hint="nothing was changed; go on in another file", facts=facts)
        note = write_note(root, AppendIntent(place.path, size, len(data), _head(data), key))
        with leased(descriptor, 0):  # holds off an editor that saves into the file, where nobody has it open yet
            _write(descriptor, size, data, note, place.path)
            state = file_state(os.fstat(descriptor))  # first: a save that comes now is known by it later
            there = os.pread(descriptor, len(data), size) == data
        discard(note)
        if not there or file_identity(place.name) != key:
            raise StaleBase
        return AddedRecord(size + len(data), data, state)
    finally:
        os.close(descriptor)


def torn_tail(root: Root, path: str) -> int | None:
    """Tell from which byte on a file is half a record, or half a character, that a crash left; None where it is whole.

    Raises OSError.
    """
    try:
        place = root.place(path)
        descriptor = open_file(place)
    except FileNotFoundError:
        return None
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return None
        note = read_note(root, place.path)
        if note and note.file == (found.st_dev, found.st_ino) and note.start < found.st_size < note.start + note.length:
            head, began = (
                note.head.encode(),
                os.pread(descriptor, len(note.head.encode()) + 2, note.start).lstrip(b"\n"),
            )
            if began[: len(head)] == head[: len(began)]:
                return note.start
        end = os.pread(descriptor, _LOOK, max(0, found.st_size - _LOOK))
        return found.st_size - len(end) + whole if (whole := _whole(end)) < len(end) else None
    finally:
        os.close(descriptor)


def _open(place: ResolvedPath, seconds: float) -> int:
    """Open a file to add to; one that is missing or empty is looked at again, for so it is while editors save."""
    until = time.monotonic() + seconds
    while True:
        try:
            descriptor = os.open(place.name.name, _FLAGS, dir_fd=place.name.folder)
        except FileNotFoundError as error:
            if time.monotonic() > until:
                raise UnreadableFileError("is not there", path=place.path) from error
        except OSError as error:
            raise UnreadableFileError(
                "could not be opened: {reason}", path=place.path, facts={"reason": error.strerror}
            ) from error
        else:
            found = os.fstat(descriptor)
            if stat.S_ISREG(found.st_mode) and (found.st_size or time.monotonic() > until):
                return descriptor
            os.close(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableFileError("is no regular file", path=place.path)
        time.sleep(_LOOK_AGAIN)


def _write(descriptor: int, size: int, data: bytes, note: FolderEntry, path: str) -> None:
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    except OSError as error:
        try:
            os.ftruncate(descriptor, size)
        except OSError:  # the note stays, so that the next who comes sets it aside
            hint = "the next turn, or `mdmem recover`, sets what is there of it aside"
            raise WriteError(
                "could not be written whole: {reason}", path=path, hint=hint, facts={"reason": error.strerror}
            ) from error
        discard(note)
        raise WriteError(
            "could not be written: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error


def _joint(descriptor: int, size: int) -> bytes:
    """Give the newline that a person left away at the end."""
    return b"" if not size or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"


def _whole(end: bytes) -> int:
    """Count the bytes of a file's end that are text: no run of NULs as a power cut leaves, no half of a character."""
    bare = end.rstrip(b"\0")
    for back in range(1, min(4, len(bare) + 1)):
        lead = bare[-back]
        if lead & 0xC0 != 0x80:  # the first byte of a character
            long = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
            return len(bare) - back if long > back else len(bare)
    return len(bare)


def _head(data: bytes) -> str:
    return data.lstrip(b"\n").partition(b"\n")[0].decode("utf-8", "replace")
