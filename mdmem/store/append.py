"""The one cheaper path of the pen: a record is added to the end of a log, durably, and the rest is not touched.

The record goes out in one write, and the disk is waited for. While that lasts a note beside the file's lock says where
the record begins and how long it is; whoever finds a note and less than that behind it knows a torn tail from a file
that a person ended without a newline. A file that an editor has put in the place of ours meanwhile gets the record too.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable, Iterator

from mdmem.errors import UnreadableFileError, WriteError
from mdmem.store.atomic import Name, discard
from mdmem.store.durable import write_all
from mdmem.store.lease import leased
from mdmem.store.note import Note, read_note, write_note
from mdmem.store.publish import Moved, which
from mdmem.store.root import Place, Root, open_file
from mdmem.store.tail import Tail, tails

Make = Callable[[Iterator[Tail]], bytes]  # from the end of the file to the record, which ends in a newline

_FLAGS = os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
_FLAGS |= getattr(os, "O_NONBLOCK", 0)  # a FIFO is opened without waiting, and then refused
_LOOK_AGAIN = 0.005  # seconds
_LOOK = 16  # bytes at the end of a file that show whether it ends as text does


def add(root: Root, place: Place, make: Make, *, max_bytes: int, stable_ms: int) -> int:
    """Add a record to a file whose lock the caller holds; gives the bytes that the file then has.

    Raises:
        Moved: an editor has put another file in its place, or saved over it; begin again.
        WriteError: the system refused, or the file would grow beyond these bytes; it is as it was.
        UnreadableFileError: it is not there, or no regular file.
    """
    descriptor = _open(place, stable_ms / 1000)
    try:
        found = os.fstat(descriptor)
        size, key = found.st_size, (found.st_dev, found.st_ino)
        data = _joint(descriptor, size) + make(tails(descriptor, size))
        if size + len(data) > max_bytes:
            message = f"would have {size + len(data)} bytes; a memory has at most {max_bytes}"
            raise WriteError(message, path=place.path, hint="nothing was changed; go on in another file")
        note = write_note(root, Note(place.path, size, len(data), _head(data), key))
        with leased(descriptor, 0):  # holds off an editor that saves into the file, where nobody has it open yet
            _write(descriptor, size, data, note, place.path)
            there = os.pread(descriptor, len(data), size) == data
        discard(note)
        if not there or which(place.name) != key:
            raise Moved
        return size + len(data)
    finally:
        os.close(descriptor)


def torn(root: Root, path: str) -> int | None:
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


def _open(place: Place, seconds: float) -> int:
    """Open a file to add to; one that is missing or empty is looked at again, for so it is while editors save."""
    until = time.monotonic() + seconds
    while True:
        try:
            descriptor = os.open(place.name.name, _FLAGS, dir_fd=place.name.folder)
        except FileNotFoundError as error:
            if time.monotonic() > until:
                raise UnreadableFileError("is not there", path=place.path) from error
        except OSError as error:
            raise UnreadableFileError(f"could not be opened: {error.strerror}", path=place.path) from error
        else:
            found = os.fstat(descriptor)
            if stat.S_ISREG(found.st_mode) and (found.st_size or time.monotonic() > until):
                return descriptor
            os.close(descriptor)
            if not stat.S_ISREG(found.st_mode):
                raise UnreadableFileError("is no regular file", path=place.path)
        time.sleep(_LOOK_AGAIN)


def _write(descriptor: int, size: int, data: bytes, note: Name, path: str) -> None:
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    except OSError as error:
        try:
            os.ftruncate(descriptor, size)
        except OSError:  # the note stays, so that the next who comes sets it aside
            hint = "the next turn, or `mdmem recover`, sets what is there of it aside"
            raise WriteError(f"could not be written whole: {error.strerror}", path=path, hint=hint) from error
        discard(note)
        raise WriteError(f"could not be written: {error.strerror}", path=path, hint="nothing was changed") from error


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
