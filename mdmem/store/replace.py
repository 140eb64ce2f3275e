"""Replaces a file: write leases, publishing of a new version, and displaced files that are kept for late saves.

A write lease (Linux) keeps editors that do not know mdmem from writing into a file while it is replaced: their `open()`
waits.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import stat
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import NamedTuple

from mdmem.store import locks
from mdmem.store.durable import FolderEntry, exchange, fill, rename, rename_new
from mdmem.store.history.versions import fingerprint
from mdmem.store.root import ResolvedPath, Root, Version, is_program, mark_program, open_file, read_open

if sys.platform == "linux":
    import fcntl

_BUSY = (errno.EAGAIN, errno.EBUSY)
_RETRY = 0.001  # seconds
_HELD, _WRITER, _NONE = "held", "writer", "none"


class Lease:
    """A lease on an open file, or none: another process writes for too long, or the system has no leases."""

    def __init__(self, descriptor: int, state: str) -> None:
        self._descriptor, self._state = descriptor, state

    @property
    def held(self) -> bool:
        """Return whether no other process has the file open, or can open it now."""
        return self._state == _HELD

    @property
    def busy(self) -> bool:
        """Return whether another process had the file open for writing until the time was over."""
        return self._state == _WRITER

    def wanted(self) -> bool:
        """Return whether another process waits to open the file for writing; False without a lease."""
        if sys.platform != "linux" or not self.held:
            return False
        # after a waiting reader it would be a read lease
        return fcntl.fcntl(self._descriptor, fcntl.F_GETLEASE) == fcntl.F_UNLCK


@contextmanager
def leased(descriptor: int, seconds: float) -> Iterator[Lease]:
    """Hold the write lease on an open file; wait up to `seconds` for processes that have it open for writing."""
    lease = Lease(descriptor, _take(descriptor, seconds))
    try:
        yield lease
    finally:
        if sys.platform == "linux" and lease.held:
            with suppress(OSError):  # closing the file releases the lease too
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _take(descriptor: int, seconds: float) -> str:
    if sys.platform != "linux":
        return _NONE
    until = time.monotonic() + seconds
    while True:
        try:
            # signal for a waiting opener: SIGURG is ignored by default, SIGIO would end the process
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            if error.errno not in _BUSY:
                return _NONE  # the file of another user, or a file system without leases
            if time.monotonic() > until:
                return _WRITER
            time.sleep(_RETRY)
        else:
            return _HELD


FOLDER = ".mdmem/history/displaced"
FOLDERS = (FOLDER, ".mdmem/history/graves")  # earlier versions wrote the second; it is still read


class LateSave(NamedTuple):
    """A save into a file after it had been replaced."""

    displaced: ResolvedPath
    base: str  # digest of the content when the file was displaced
    data: bytes


def keep_displaced(root: Root, temporary: FolderEntry, path: str, digest: str) -> None:
    """Move a displaced file to the displaced files; `digest` is the digest of its content. Raises OSError."""
    displaced = root.place(f"{FOLDER}/{locks.key(path)}/{time.time_ns():020d}-{digest}", make=True)
    rename(temporary, displaced.name)


def late_saves(root: Root, path: str, keep_seconds: int) -> Iterator[LateSave]:
    """Yield the late saves among the displaced files that are old enough; remove those that did not change."""
    before = time.time_ns() - keep_seconds * 1_000_000_000
    folders = (f"{folder}/{locks.key(path)}" for folder in FOLDERS)
    for displaced, name in ((f"{folder}/{name}", name) for folder in folders for name in root.names(folder)):
        displaced_at, _, digest = name.partition("-")
        if not displaced_at.isdecimal() or int(displaced_at) > before:
            continue
        place = root.place(displaced)
        data = _read_if_closed(place)
        if data is None:
            continue
        if data and fingerprint(data) != digest:
            yield LateSave(place, digest, data)
        else:  # unchanged, or emptied and never written again, which is no save
            os.unlink(place.name.name, dir_fd=place.name.folder)


def _read_if_closed(place: ResolvedPath) -> bytes | None:
    """Read a displaced file; return None if a process has it open for writing."""
    descriptor = open_file(place)
    try:
        with leased(descriptor, 0) as lease:
            return None if lease.busy else read_open(descriptor, place.path).data
    finally:
        os.close(descriptor)


Key = tuple[int, int]  # device and inode: the identity of a file, whatever its name

_TRIES = 100  # needed only if an editor saves between every two system calls


class StaleBase(Exception):  # noqa: N818 - no error: the change is computed again
    """The file changed since it was read; retry."""

    def __init__(self, made: Sequence[Target] = ()) -> None:
        super().__init__()
        self.made = made  # the whole change, if it was live for a moment: an editor may have loaded it


class Target(NamedTuple):
    """One file of a change; None stands for «no such file»."""

    place: ResolvedPath
    beside: str  # name of the temporary file, in the same folder
    base: Version | None
    after: bytes | None
    program: bool | None = None  # whether the new version is executable; None: if the base is

    @property
    def was_program(self) -> bool:
        """Whether the base is executable."""
        return self.base is not None and is_program(self.base.stat)

    @property
    def is_program(self) -> bool:
        """Whether the new version is executable."""
        return self.after is not None and (self.was_program if self.program is None else self.program)

    @property
    def temporary(self) -> FolderEntry:
        """The name where the new version is written, and where the displaced version is afterwards."""
        return self.place.name.sibling(self.beside)

    @property
    def temporary_path(self) -> str:
        """The path of the temporary file, POSIX from the root."""
        return os.path.join(os.path.dirname(self.place.path), self.beside)


def prepare(target: Target) -> None:
    """Write the new version beside the file, durably, with mode and owner of the file. Raises OSError."""
    if target.after is not None:
        fill(target.temporary, target.after, partial(_prepare_metadata, target))


def publish(target: Target, lease_ms: int) -> None:
    """Replace the file by the new version; the old version then has the temporary name.

    Raises:
        StaleBase: the file is not the base of the change; it is as its last writer left it.
        OSError: the system refused; the file is unchanged.
    """
    identity = file_identity(target.temporary)
    if target.base is None:
        with _stale_base_if(FileExistsError):
            rename_new(target.temporary, target.place.name)
        return
    with _stale_base_if(FileNotFoundError):
        descriptor = open_file(target.place)
    try:
        with leased(descriptor, lease_ms / 1000) as lease:
            live = os.fstat(descriptor)
            if live.st_size != len(target.base.data) or _read(descriptor, target) != target.base.data:
                raise StaleBase
            _displace(target)
            try:
                faster = file_identity(target.temporary) not in (None, _key(live)) or lease.wanted()
            except OSError:
                withdraw(target, identity)
                raise
            if faster:
                withdraw(target, identity)
                raise StaleBase
    finally:
        os.close(descriptor)


def withdraw(target: Target, expected: Key | None) -> None:
    """Undo `publish`: make the displaced version live again, unless an editor has saved over the new one."""
    live, temporary = target.place.name, target.temporary
    if target.base is None:
        with contextlib.suppress(FileNotFoundError):
            rename_new(live, temporary)
        return
    with contextlib.suppress(FileExistsError):
        for _ in range(_TRIES):
            displaced = file_identity(temporary)
            try:
                if target.after is None:
                    rename_new(temporary, live)
                    return
                if not exchange(temporary, live):
                    rename(temporary, live)
                    return
            except FileNotFoundError:  # an editor has renamed the file away for a moment
                rename_new(temporary, live)
                return
            if file_identity(temporary) == expected:
                return
            expected = displaced  # the version that came back is newer than the one put back: once more


def _read(descriptor: int, target: Target) -> bytes:
    return read_open(descriptor, target.place.path).data


def _displace(target: Target) -> None:
    live, temporary = target.place.name, target.temporary
    with _stale_base_if(FileNotFoundError):
        if target.after is None:
            rename_new(live, temporary)
        elif not exchange(temporary, live):  # weaker: a save of an editor between the next two lines is lost
            beside = temporary.sibling(f"{os.path.basename(temporary.name)}~")
            os.link(live.name, beside.name, src_dir_fd=live.folder, dst_dir_fd=beside.folder, follow_symlinks=False)
            rename(temporary, live)
            rename(beside, temporary)


def _prepare_metadata(target: Target, new: int) -> None:
    if target.base:
        _copy_metadata(new, target.place, target.base.stat)
    if target.program is not None:
        mark_program(new, is_program=target.program)


def _copy_metadata(new: int, place: ResolvedPath, before: os.stat_result) -> None:
    """Copy owner, mode and extended attributes of the file to the new version."""
    with contextlib.suppress(PermissionError):  # only root may change the owner
        os.fchown(new, before.st_uid, before.st_gid)
    os.fchmod(new, stat.S_IMODE(before.st_mode))
    if not hasattr(os, "listxattr"):
        return
    old = open_file(place)
    try:
        for name in _names(old):
            with _unless_refused():
                os.setxattr(new, name, os.getxattr(old, name))
    finally:
        os.close(old)


def _names(descriptor: int) -> list[str]:
    names = list[str]()
    with _unless_refused():
        names += os.listxattr(descriptor)
    return names


@contextlib.contextmanager
def _unless_refused() -> Iterator[None]:
    """Ignore that a file system has no attributes or allows only root to write one; other errors are raised."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.ENODATA):
            raise


@contextlib.contextmanager
def _stale_base_if(error: type[OSError]) -> Iterator[None]:
    try:
        yield
    except error as raised:
        raise StaleBase from raised


def file_identity(name: FolderEntry) -> Key | None:
    """Return the identity of the file with this name; None if there is none."""
    try:
        return _key(os.stat(name.name, dir_fd=name.folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _key(info: os.stat_result) -> Key:
    return info.st_dev, info.st_ino
