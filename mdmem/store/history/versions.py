"""What the history says of a change: who, when, why, which files, and the digests before and after."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import NamedTuple

from mdmem.errors import UnreadableFileError
from mdmem.store import locks
from mdmem.store.durable import FolderEntry, sync, write_all, write_new
from mdmem.store.files import read_backwards
from mdmem.store.root import ResolvedPath, Root, open_file, read

PRUNE = "artifact prune"  # the reason of a transaction that kept no version: evidence that was let go
FORGET = "forget"  # the reason of a forgetting
EDITOR = "editor"  # the actor of what was saved by hand, or by another program


_DIGITS, _HEX = 64, frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file of a transaction, before and after, by the SHA-256 of its bytes; None is «no such file»."""

    path: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Transaction:
    """One change, whole: every file of it, or none."""

    id: str
    time: str  # ISO 8601 with the offset from UTC
    actor: str
    reason: str
    files: tuple[WrittenFile, ...]
    undoes: str = ""  # the id of the transaction that this one takes back

    def line(self) -> bytes:
        """Give the line of the log, with its checksum in front, so that a torn or changed line is recognised."""
        values = asdict(self) | {"files": [[one.path, one.before, one.after] for one in self.files]}
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
        return hashlib.blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n"


def read_line(line: bytes) -> Transaction | None:
    """Read a line of the log; None for one that is torn or was changed."""
    check, _, text = line.rstrip(b"\n").partition(b" ")
    if hashlib.blake2b(text, digest_size=8).hexdigest().encode() != check:
        return None
    try:
        values = json.loads(text)
        found = Transaction(**values | {"files": tuple(WrittenFile(*one) for one in values["files"])})
    except (ValueError, KeyError, TypeError, RecursionError):  # a checksum can be forged
        return None
    return found if _is_sound(found) else None


def _is_sound(found: Transaction) -> bool:
    """Return True if every value has its type, and every digest is one: it will be the name of a file."""
    texts = (found.id, found.time, found.actor, found.reason, found.undoes, *(one.path for one in found.files))
    digests = (digest for one in found.files for digest in (one.before, one.after) if digest is not None)
    return all(isinstance(text, str) for text in texts) and all(map(is_fingerprint, digests))


def is_fingerprint(digest: object) -> bool:
    """Return True for what `fingerprint` returns."""
    return isinstance(digest, str) and len(digest) == _DIGITS and set(digest) <= _HEX


def new_id(now: dt.datetime) -> str:
    """Give an id for a transaction: its second in UTC, so that ids sort by time, and a part that no other has."""
    return f"{now.astimezone(dt.UTC):%Y%m%dT%H%M%S}-{os.urandom(4).hex()}"


def fingerprint(data: bytes) -> str:
    """Give the name that a version goes by in the history: the SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


FOLDER = ".mdmem/history"
LOG = f"{FOLDER}/log"
OBJECTS = f"{FOLDER}/objects"
_TAIL = 1 << 16  # bytes; more than any line has


class DamagedVersion(NamedTuple):
    """Something in the history that is not what it was."""

    what: str  # object, line
    name: str


class VersionStore:
    """The versions and the log of one workspace."""

    def __init__(self, root: Root, lock_seconds: float) -> None:
        self._root, self._seconds = root, lock_seconds

    def keep(self, data: bytes) -> str:
        """Keep a version so that it outlives a power cut; gives its digest.

        Raises:
            WriteError: the system refused.
        """
        digest = fingerprint(data)
        place = self._root.place(_object(digest), make=True)
        if self.read(digest) is None:  # a damaged one is mended by this
            write_new(place.name, data, place.path)
        return digest

    def read(self, digest: str) -> bytes | None:
        """Give a version; None where it was pruned, forgotten or damaged."""
        try:
            found = read(self._root.place(_object(digest)))
        except (FileNotFoundError, UnreadableFileError):
            return None
        return found.data if found and fingerprint(found.data) == digest else None

    def secure(self, *digests: str | None) -> None:
        """Wait until the disk has the versions that another process, now dead, may not have waited for; raises OSError.

        The next who wants to keep one of them finds it there, and takes it for durable.
        """
        for digest in filter(None, digests):
            with suppress(FileNotFoundError):
                place = self._root.place(_object(digest))
                descriptor = open_file(place)
                try:
                    os.fsync(descriptor)
                    sync(place.name)
                finally:
                    os.close(descriptor)
        with suppress(FileNotFoundError):
            sync(self._root.place(LOG).name)  # it may be that process that began the log

    def raw(self, digest: str) -> bytes | None:
        """Give the bytes that stand under a digest, damaged or not."""
        folder, any_name = self._objects
        found = read(ResolvedPath(FolderEntry(folder, any_name.removesuffix("_") + digest), _object(digest)))
        return found.data if found else None

    @cached_property
    def _objects(self) -> FolderEntry:
        """The name `_` in the folder of the versions, which is walked once, however many are read."""
        return self._root.place(f"{OBJECTS}/_").name

    def rewrite(self, change: Callable[[Transaction], Transaction]) -> None:
        """Write the whole log anew, each line changed; raises WriteError, LockedError."""
        place = self._root.place(LOG)
        with locks.locked(self._root, [LOG], self._seconds):
            kept = [change(found).line() for line in self._lines() if (found := read_line(line))]
            write_new(place.name, b"".join(kept), place.path)

    def append(self, transaction: Transaction) -> None:
        """Add the line of a change to the log, durably; raises OSError, WriteError."""
        place = self._root.place(LOG, make=True)
        with locks.locked(self._root, [LOG], self._seconds):
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0)
            descriptor = os.open(place.name.name, flags, 0o600, dir_fd=place.name.folder)
            try:
                if _append(descriptor, transaction):
                    sync(place.name)
            finally:
                os.close(descriptor)

    def log(self) -> Iterator[Transaction]:
        """Return the changes, newest first, without torn lines. The log is read from its end, as far as asked."""
        for line in self._newest():
            if found := read_line(line):
                yield found

    def explained(self, regex: re.Pattern[str]) -> Iterator[Transaction]:
        """Return the changes whose reason matches a pattern, newest first.

        The pattern may not look at what stands around a match: lines that it is not found in are not decoded.
        """
        for line in self._newest():
            if b"\\" in line or regex.search(line.decode("utf-8", "replace")):
                found = read_line(line)
                if found and regex.search(found.reason):
                    yield found

    def check(self) -> list[DamagedVersion]:
        """Read the whole history and list the lines and versions that are not what was written."""
        lines = [DamagedVersion("line", str(i + 1)) for i, line in enumerate(self._lines()) if read_line(line) is None]
        return lines + [DamagedVersion("object", digest) for digest in self.objects() if self.read(digest) is None]

    def objects(self) -> Iterator[str]:
        """Give the digests of all versions that are kept."""
        yield from (name for name in self._root.names(OBJECTS) if not name.startswith("."))

    def size(self, digest: str) -> int:
        """Give the bytes that a version takes."""
        return self._stat(digest).st_size

    def written(self, digest: str) -> float:
        """Give when a version was written, in seconds of the epoch."""
        return self._stat(digest).st_mtime

    def _stat(self, digest: str) -> os.stat_result:
        name = self._root.place(_object(digest)).name
        return os.stat(name.name, dir_fd=name.folder)

    def drop(self, digest: str) -> None:
        """Remove a version for good."""
        try:
            place = self._root.place(_object(digest))
        except FileNotFoundError:
            return
        os.unlink(place.name.name, dir_fd=place.name.folder)

    def _newest(self) -> Iterator[bytes]:
        """Return the lines from the last to the first, reading no more of the log than needed."""
        try:
            descriptor = open_file(self._root.place(LOG))
        except FileNotFoundError:
            return
        except OSError as error:
            raise UnreadableFileError(
                "could not be opened: {reason}", path=LOG, facts={"reason": error.strerror}
            ) from error
        try:
            yield from _reversed(descriptor)
        except OSError as error:
            raise UnreadableFileError(
                "could not be read: {reason}", path=LOG, facts={"reason": error.strerror}
            ) from error
        finally:
            os.close(descriptor)

    def _lines(self) -> list[bytes]:
        try:
            found = read(self._root.place(LOG))
        except FileNotFoundError:
            return []
        # half a line at the end was cut off by a crash; the next line takes its place
        return found.data[: found.data.rfind(b"\n") + 1].splitlines() if found else []


def _reversed(descriptor: int) -> Iterator[bytes]:
    """Return the whole lines of an open log from the last to the first; raises OSError."""
    done = 0  # lines given
    for tail in read_backwards(descriptor, os.fstat(descriptor).st_size):
        # half a line at the end was cut off by a crash; the first line is known to be whole where the file begins
        lines = tail.data[: tail.data.rfind(b"\n") + 1].splitlines()[1 if tail.start else 0 :]
        yield from reversed(lines[: len(lines) - done])
        done = len(lines)


def _append(descriptor: int, transaction: Transaction) -> bool:
    """Write the line, whole or not at all; gives whether it is the first of the log, torn ones aside."""
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, _TAIL, max(0, size - _TAIL))
    torn = len(tail) - tail.rfind(b"\n") - 1  # half a line, which a crash cut off
    try:
        if torn:
            os.ftruncate(descriptor, size - torn)
        write_all(descriptor, transaction.line())
        os.fsync(descriptor)
    except OSError:
        os.ftruncate(descriptor, size - torn)
        raise
    return size == torn


def _object(digest: str) -> str:
    return f"{OBJECTS}/{digest}"
