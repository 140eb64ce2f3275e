"""The history: the log of changes, and the versions of files before and after, by digest."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from typing import NamedTuple

from mdmem.errors import UnreadableFileError
from mdmem.store import locks
from mdmem.store.durable import FolderEntry, overlapped, sync, write_all, write_new
from mdmem.store.files import open_private, read_backwards
from mdmem.store.root import ResolvedPath, Root, open_file, read
from mdmem.text.pattern import pattern

PRUNE = "artifact prune"  # the reason of a transaction that kept no version: artifacts were removed
FORGET = "forget"  # the reason of a transaction that forgot text
EDITOR = "editor"  # the actor of a manual edit, or of another program's
TAKEN_IN = "taken in from"  # how the reason begins of a change that came from another machine; names follow


_FINGERPRINT = pattern("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file of a transaction, before and after, as the SHA-256 of its bytes; None stands for «no such file».

    Git and Agent Skills carry the mark that makes a file executable, so the history does too.
    """

    path: str
    before: str | None
    after: str | None
    was_program: bool = False
    is_program: bool = False

    @property
    def values(self) -> list[str | bool | None]:
        """The values as a line of the log has them; the marks are left out where there is none."""
        marks = [self.was_program, self.is_program] if self.was_program or self.is_program else []
        return [self.path, self.before, self.after, *marks]


@dataclass(frozen=True, slots=True)
class Transaction:
    """One change of one or several files, made completely or not at all."""

    id: str
    time: str  # ISO 8601 with the offset from UTC
    actor: str
    reason: str
    files: tuple[WrittenFile, ...]
    undoes: str = ""  # the id of the transaction that this one reverts

    def line(self) -> bytes:
        """Return the line of the log, with its checksum first, so that a torn or changed line is detected."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        values["files"] = [one.values for one in self.files]
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
        return hashlib.blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n"


def read_line(line: bytes) -> Transaction | None:
    """Read a line of the log; return None for one that is torn or was changed."""
    check, _, text = line.rstrip(b"\n").partition(b" ")
    if hashlib.blake2b(text, digest_size=8).hexdigest().encode() != check:
        return None
    try:
        values = json.loads(text.decode("utf-8", "surrogatepass"))
        transaction = Transaction(**values | {"files": tuple(WrittenFile(*one) for one in values["files"])})
    except (ValueError, KeyError, TypeError, RecursionError):  # a checksum can be forged
        return None
    return transaction if _is_sound(transaction) else None


def _is_sound(transaction: Transaction) -> bool:
    """Return True if each value has its type, and each digest is one, because digests become file names."""
    texts = (
        transaction.id,
        transaction.time,
        transaction.actor,
        transaction.reason,
        transaction.undoes,
        *(one.path for one in transaction.files),
    )
    digests = (digest for one in transaction.files for digest in (one.before, one.after) if digest is not None)
    marks = (mark for one in transaction.files for mark in (one.was_program, one.is_program))
    are_typed = all(isinstance(text, str) for text in texts) and all(isinstance(mark, bool) for mark in marks)
    return are_typed and all(map(is_fingerprint, digests))


def is_fingerprint(digest: object) -> bool:
    """Return True if `fingerprint` can have returned this value."""
    return isinstance(digest, str) and _FINGERPRINT.fullmatch(digest) is not None


def new_id(now: dt.datetime) -> str:
    """Return an id for a transaction: its second in UTC, so that ids sort by time, and a random part."""
    return f"{now.astimezone(dt.UTC):%Y%m%dT%H%M%S}-{os.urandom(4).hex()}"


def fingerprint(data: bytes) -> str:
    """Return the name of a version in the history: the SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


FOLDER = ".mdmem/history"
LOG = f"{FOLDER}/log"
OBJECTS = f"{FOLDER}/objects"
_TAIL = 1 << 16  # bytes; longer than any line


class DamagedVersion(NamedTuple):
    """A line or version of the history that is not what was written."""

    what: str  # object, line
    name: str


class VersionStore:
    """The versions and the log of one workspace."""

    def __init__(self, root: Root, lock_seconds: float) -> None:
        self._root, self._seconds = root, lock_seconds

    def keep(self, data: bytes) -> str:
        """Keep a version durably; return its digest.

        Raises:
            WriteError: the system refused.
        """
        digest = fingerprint(data)
        place = self._root.place(_object(digest), make=True)
        if self.read(digest) is None:  # this also replaces a damaged version
            write_new(place.name, data, place.path)
        return digest

    def keep_all(self, versions: Iterable[bytes]) -> None:
        """Keep many versions durably, as `keep` does one.

        Raises:
            WriteError: the system refused.
        """
        wanted = {fingerprint(data): data for data in versions}
        for digest in wanted:  # opens the folders, which `overlapped` must not
            self._root.place(_object(digest), make=True)
        overlapped(self.keep, list(wanted.values()))

    def read(self, digest: str) -> bytes | None:
        """Return a version; None if it was pruned, forgotten or damaged."""
        try:
            version = read(self._root.place(_object(digest)))
        except (FileNotFoundError, UnreadableFileError):
            return None
        return version.data if version and fingerprint(version.data) == digest else None

    def secure(self, *digests: str | None) -> None:
        """Make versions durable that a dead process may not have waited for. Raises OSError.

        A later `keep` finds them and takes them for durable.
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
            sync(self._root.place(LOG).name)  # that process may also have created the log

    def raw(self, digest: str) -> bytes | None:
        """Return the bytes under a digest, damaged or not."""
        folder, any_name = self._objects
        version = read(ResolvedPath(FolderEntry(folder, any_name.removesuffix("_") + digest), _object(digest)))
        return version.data if version else None

    @cached_property
    def _objects(self) -> FolderEntry:
        """The name `_` in the folder of the versions; the path is resolved once, however many versions are read."""
        return self._root.place(f"{OBJECTS}/_").name

    def rewrite(self, change: Callable[[Transaction], Transaction]) -> None:
        """Write the whole log again with each line changed. Raises WriteError, LockedError."""
        place = self._root.place(LOG)
        with locks.locked(self._root, [LOG], self._seconds):
            lines = [
                line + b"\n" if (new := change(old)) == old else new.line()
                for line in self._lines()
                if (old := read_line(line))
            ]
            write_new(place.name, b"".join(lines), place.path)

    def append(self, transaction: Transaction) -> None:
        """Append the line of a change to the log, durably. Raises OSError, WriteError."""
        place = self._root.place(LOG, make=True)
        with locks.locked(self._root, [LOG], self._seconds):
            descriptor = open_private(place.name.name, os.O_RDWR | os.O_CREAT | os.O_APPEND, place.name.folder)
            try:
                if _append(descriptor, transaction):
                    sync(place.name)
            finally:
                os.close(descriptor)

    def log(self) -> Iterator[Transaction]:
        """Yield the changes, newest first, without torn lines. The log is read from its end, as far as needed."""
        for line in self._newest():
            if transaction := read_line(line):
                yield transaction

    def explained(self, regex: re.Pattern[str]) -> Iterator[Transaction]:
        """Yield the changes whose reason matches a pattern, newest first.

        The pattern may not look around a match: lines in which it does not match are not decoded.
        """
        for line in self._newest():
            if b"\\" in line or regex.search(line.decode("utf-8", "replace")):
                transaction = read_line(line)
                if transaction and regex.search(transaction.reason):
                    yield transaction

    def check(self) -> list[DamagedVersion]:
        """Read the whole history and return the damaged lines and versions."""
        lines = [
            DamagedVersion("line", str(index + 1))
            for index, line in enumerate(self._lines())
            if read_line(line) is None
        ]
        return lines + [DamagedVersion("object", digest) for digest in self.objects() if self.read(digest) is None]

    def objects(self) -> Iterator[str]:
        """Yield the digests of all kept versions."""
        yield from (name for name in self._root.names(OBJECTS) if not name.startswith("."))

    def size(self, digest: str) -> int:
        """Return the size of a version in bytes."""
        return self._stat(digest).st_size

    def written(self, digest: str) -> float:
        """Return when a version was written, in seconds of the epoch."""
        return self._stat(digest).st_mtime

    def _stat(self, digest: str) -> os.stat_result:
        name = self._root.place(_object(digest)).name
        return os.stat(name.name, dir_fd=name.folder)

    def drop(self, digest: str) -> None:
        """Remove a version permanently."""
        try:
            place = self._root.place(_object(digest))
        except FileNotFoundError:
            return
        os.unlink(place.name.name, dir_fd=place.name.folder)

    def _newest(self) -> Iterator[bytes]:
        """Yield the lines from the last to the first, reading no more of the log than needed."""
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
            version = read(self._root.place(LOG))
        except FileNotFoundError:
            return []
        # a crash may have cut the last line; the next append replaces it
        return version.data[: version.data.rfind(b"\n") + 1].splitlines() if version else []


def _reversed(descriptor: int) -> Iterator[bytes]:
    """Yield the complete lines of an open log from the last to the first. Raises OSError."""
    done = 0  # lines yielded
    for tail in read_backwards(descriptor, os.fstat(descriptor).st_size):
        # a crash may have cut the last line; the first line is known to be complete only at the start of the file
        lines = tail.data[: tail.data.rfind(b"\n") + 1].splitlines()[1 if tail.start else 0 :]
        yield from reversed(lines[: len(lines) - done])
        done = len(lines)


def _append(descriptor: int, transaction: Transaction) -> bool:
    """Write the line completely or not at all; return whether it is the first of the log, apart from torn ones."""
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, _TAIL, max(0, size - _TAIL))
    torn = len(tail) - tail.rfind(b"\n") - 1  # length of a line that a crash cut
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
