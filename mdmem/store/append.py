"""Appends a record to a file without rewriting it.

A note beside the lock of the file describes the append while it runs. After a crash, the note shows whether the end of
the file is half a record (a torn tail).
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from mdmem.errors import FileFullError, UnfinishedError, UnreadableFileError, WriteError
from mdmem.store import locks
from mdmem.store.durable import FolderEntry, discard, write_all
from mdmem.store.files import BackwardReader, open_private, open_waiting, read_backwards
from mdmem.store.mirror import file_state
from mdmem.store.replace import Key, StaleBase, file_identity, leased
from mdmem.store.root import ResolvedPath, Root, open_file, read
from mdmem.text.encodings import refusal

_SUFFIX = ".append"
_LONGEST = 1 << 16  # bytes of a note


class AppendIntent(NamedTuple):
    """What an append is about to add to a file."""

    path: str
    start: int  # size of the file before the append
    length: int  # bytes of the record
    head: str  # the first line of the record that is not empty; it holds no secret
    file: Key  # identity of the file, whatever its name


def pending_appends(root: Root) -> list[str]:
    """Return the paths of the files with an append note; a crash may have left half a record in them."""
    names = (name for name in root.names(locks.FOLDER) if name.endswith(_SUFFIX))
    notes = (_parse(root, f"{locks.FOLDER}/{name}") for name in names)
    return [note.path for note in notes if note]


def remove_append_note(root: Root, path: str) -> None:
    """Remove the note of a file after its append is finished or undone."""
    with suppress(FileNotFoundError):
        discard(root.place(_note(path)).name)


def write_note(root: Root, note: AppendIntent) -> FolderEntry:
    """Write the note; it must survive the end of this process, but not a power cut."""
    name = root.place(_note(note.path), make=True).name
    descriptor = open_private(name.name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, name.folder)
    try:
        write_all(descriptor, json.dumps(note).encode())
    finally:
        os.close(descriptor)
    return name


def read_note(root: Root, path: str) -> AppendIntent | None:
    """Return the note of a file; None if nothing is being added to it."""
    return _parse(root, _note(path))


def _note(path: str) -> str:
    return f"{locks.FOLDER}/{locks.key(path)}{_SUFFIX}"


def _parse(root: Root, path: str) -> AppendIntent | None:
    try:
        version = read(root.place(path), _LONGEST)
        if version is None:
            return None
        named, start, length, head, (device, inode) = json.loads(version.data)
    except (FileNotFoundError, ValueError, TypeError, RecursionError):
        return None
    return AppendIntent(named, start, length, head, (device, inode))


Make = Callable[[Iterator[BackwardReader]], bytes]  # the end of the file → the record, which ends in a newline

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
_RETRY = 0.005  # seconds
_SAMPLE = 4096  # bytes at each end of a file in which another encoding is looked for
_END_BYTES = 16  # bytes at the end of a file that are checked for a cut character


class AddedRecord(NamedTuple):
    """A record that was added."""

    size: int  # bytes of the file now
    data: bytes  # what was added
    state: str  # of the file behind it; see `file_state`


def add(root: Root, place: ResolvedPath, make_record: Make, *, max_bytes: int, stable_ms: int) -> AddedRecord:
    """Append a record to a file whose lock the caller holds.

    Raises:
        StaleBase: an editor replaced the file or saved over it; retry.
        FileFullError: the file would exceed `max_bytes`; it is unchanged.
        UnfinishedError: it is added, and the system refused to read it again.
        WriteError: the system refused; the file is unchanged.
        UnreadableFileError: the file is missing, or it is not a regular file.
    """
    descriptor = _open(place, stable_ms / 1000)
    try:
        info = os.fstat(descriptor)
        size, key = info.st_size, (info.st_dev, info.st_ino)
        _refuse_encoding(place.path, descriptor, size)
        data = _missing_newline(descriptor, size) + make_record(read_backwards(descriptor, size))
        if size + len(data) > max_bytes:
            message, facts = (
                "would have {size} bytes; a memory has at most {max}",
                {"size": size + len(data), "max": max_bytes},
            )
            raise FileFullError(
                message, path=place.path, hint="nothing was changed; continue in another file", facts=facts
            )
        note = write_note(root, AppendIntent(place.path, size, len(data), _head(data), key))
        with leased(descriptor, 0):  # an editor that saves into the file waits, unless it has the file open already
            _write(descriptor, size, data, note, place.path)
            with _as_written(place.path):
                state = file_state(os.fstat(descriptor))  # first: a save that comes now is detected by it later
                is_written = os.pread(descriptor, len(data), size) == data
        discard(note)
        with _as_written(place.path):
            is_written = is_written and file_identity(place.name) == key
        if not is_written:
            raise StaleBase
        return AddedRecord(size + len(data), data, state)
    finally:
        with suppress(OSError):  # what was added is durable
            os.close(descriptor)


@contextmanager
def _as_written(path: str) -> Iterator[None]:
    """Report what is already done if the system refuses to read it again. Raises UnfinishedError."""
    try:
        yield
    except OSError as error:
        hint, facts = "look whether it is in the file before you repeat it", {"reason": error.strerror}
        raise UnfinishedError(
            "written, and could not be checked: {reason}", path=path, hint=hint, facts=facts
        ) from error


def torn_tail(root: Root, path: str) -> int | None:
    """Return the offset at which half a record or half a character begins, left by a crash; None if the file is whole.

    Raises OSError.
    """
    try:
        place = root.place(path)
        descriptor = open_file(place)
    except FileNotFoundError:
        return None
    try:
        info = os.fstat(descriptor)
        if not stat.S_ISREG(info.st_mode):
            return None
        note = read_note(root, place.path)
        if note and note.file == (info.st_dev, info.st_ino) and note.start < info.st_size < note.start + note.length:
            head, began = (
                note.head.encode(),
                os.pread(descriptor, len(note.head.encode()) + 2, note.start).lstrip(b"\n"),
            )
            if began[: len(head)] == head[: len(began)]:
                return note.start
        end = os.pread(descriptor, _END_BYTES, max(0, info.st_size - _END_BYTES))
        return info.st_size - len(end) + length if (length := _text_length(end)) < len(end) else None
    finally:
        os.close(descriptor)


def _open(place: ResolvedPath, seconds: float) -> int:
    """Open a file for appending; retry while it is missing or empty, because editors save in several steps."""
    until = time.monotonic() + seconds
    while True:
        try:
            descriptor = open_waiting(place.name.name, _FLAGS, place.name.folder)
        except FileNotFoundError as error:
            if time.monotonic() > until:
                raise UnreadableFileError("not found", path=place.path) from error
        except OSError as error:
            raise UnreadableFileError(
                "could not be opened: {reason}", path=place.path, facts={"reason": error.strerror}
            ) from error
        else:
            info = os.fstat(descriptor)
            if stat.S_ISREG(info.st_mode) and (info.st_size or time.monotonic() > until):
                return descriptor
            os.close(descriptor)
            if not stat.S_ISREG(info.st_mode):
                raise UnreadableFileError("not a regular file", path=place.path)
        time.sleep(_RETRY)


def _write(descriptor: int, size: int, data: bytes, note: FolderEntry, path: str) -> None:
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    except OSError as error:
        try:
            os.ftruncate(descriptor, size)
        except OSError:  # the note stays, so that the next append sets the rest aside
            hint = "the next turn or `mdmem recover` moves the incomplete part aside"
            raise WriteError(
                "could not be written whole: {reason}", path=path, hint=hint, facts={"reason": error.strerror}
            ) from error
        discard(note)
        raise WriteError(
            "could not be written: {reason}", path=path, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error


def _refuse_encoding(path: str, descriptor: int, size: int) -> None:
    """Refuse a file whose first or last lines are in another encoding."""
    head, tail = os.pread(descriptor, _SAMPLE, 0), os.pread(descriptor, _SAMPLE, max(0, size - _SAMPLE))
    if size > _SAMPLE:
        head, tail = head.rpartition(b"\n")[0], tail.partition(b"\n")[2]
    for part in (head, tail):
        if error := refusal(path, part):
            raise error


def _missing_newline(descriptor: int, size: int) -> bytes:
    """Return the newline that is missing at the end of the file, if it is."""
    return b"" if not size or os.pread(descriptor, 1, size - 1) == b"\n" else b"\n"


def _text_length(end: bytes) -> int:
    """Count the bytes of a file's end that are text, without NULs from a power cut and without half a character."""
    text = end.rstrip(b"\0")
    for distance in range(1, min(4, len(text) + 1)):
        lead = text[-distance]
        if lead & 0xC0 != 0x80:  # the first byte of a character
            width = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
            return len(text) - distance if width > distance else len(text)
    return len(text)


def _head(data: bytes) -> str:
    return data.lstrip(b"\n").partition(b"\n")[0].decode("utf-8", "replace")
