"""A write lease: while we hold one, nobody else gets the file open, and nobody had it open before (Linux).

It keeps editors that know nothing of mdmem from writing into a file while it is being replaced: their open() waits.
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
from typing import NamedTuple

from mdmem.store import locks
from mdmem.store.durable import FolderEntry, exchange, fill, rename, rename_new
from mdmem.store.history.versions import fingerprint
from mdmem.store.root import ResolvedPath, Root, Version, open_file, read_open

if sys.platform == "linux":
    import fcntl

_BUSY = (errno.EAGAIN, errno.EBUSY)
_LOOK_AGAIN = 0.001  # seconds
_HELD, _WRITER, _NONE = "held", "writer", "none"


class Lease:
    """A lease on an open file, or the lack of one: somebody writes there for too long, or the system has none."""

    def __init__(self, descriptor: int, state: str) -> None:
        self._descriptor, self._state = descriptor, state

    @property
    def held(self) -> bool:
        """Tell whether nobody else has the file open, or can open it now."""
        return self._state == _HELD

    @property
    def busy(self) -> bool:
        """Tell whether somebody else had the file open for writing until the time was over."""
        return self._state == _WRITER

    def wanted(self) -> bool:
        """Tell whether somebody waits to open the file for writing; never where no lease is held."""
        if sys.platform != "linux" or not self.held:
            return False
        return fcntl.fcntl(self._descriptor, fcntl.F_GETLEASE) == fcntl.F_UNLCK  # a reader would leave us a read lease


@contextmanager
def leased(descriptor: int, seconds: float) -> Iterator[Lease]:
    """Hold the write lease on an open file; waits so many seconds for those who have it open for writing."""
    lease = Lease(descriptor, _take(descriptor, seconds))
    try:
        yield lease
    finally:
        if sys.platform == "linux" and lease.held:
            with suppress(OSError):  # closing the file gives the lease back too
                fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_UNLCK)


def _take(descriptor: int, seconds: float) -> str:
    if sys.platform != "linux":
        return _NONE
    until = time.monotonic() + seconds
    while True:
        try:
            # the signal of a waiting opener: SIGURG is ignored unless somebody asks for it, SIGIO would end the process
            fcntl.fcntl(descriptor, fcntl.F_SETSIG, signal.SIGURG)
            fcntl.fcntl(descriptor, fcntl.F_SETLEASE, fcntl.F_WRLCK)
        except OSError as error:
            if error.errno not in _BUSY:
                return _NONE  # somebody else's file, or a file system without leases
            if time.monotonic() > until:
                return _WRITER
            time.sleep(_LOOK_AGAIN)
        else:
            return _HELD


FOLDER = ".mdmem/history/graves"


class LateSave(NamedTuple):
    """A save that came after its file had been replaced."""

    grave: ResolvedPath
    base: str  # digest of what the file held when it was displaced
    data: bytes


def keep_displaced(root: Root, temporary: FolderEntry, path: str, digest: str) -> None:
    """Move a displaced file into its grave; `digest` is that of what it held. Raises OSError."""
    grave = root.place(f"{FOLDER}/{locks.key(path)}/{time.time_ns():020d}-{digest}", make=True)
    rename(temporary, grave.name)


def late_saves(root: Root, path: str, grave_seconds: int) -> Iterator[LateSave]:
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
            yield LateSave(place, digest, data)
        else:  # as it was, or emptied and never filled again, which is no save
            os.unlink(place.name.name, dir_fd=place.name.folder)


def _settled(place: ResolvedPath) -> bytes | None:
    """Read a grave that nobody has open for writing; None where somebody has."""
    descriptor = open_file(place)
    try:
        with leased(descriptor, 0) as lease:
            return None if lease.busy else read_open(descriptor, place.path).data
    finally:
        os.close(descriptor)


Key = tuple[int, int]  # device and inode: which file it is, whatever its name

_TRIES = 100  # an editor would have to save between each two of our system calls to need them


class StaleBase(Exception):  # noqa: N818 - no error: somebody else saved first, and the work begins again
    """The file is no longer what the change was made from."""

    def __init__(self, made: Sequence[Target] = ()) -> None:
        super().__init__()
        self.made = made  # the whole change, where it was live for a moment: an editor may have loaded it


class Target(NamedTuple):
    """One file of a change; None is «no such file»."""

    place: ResolvedPath
    beside: str  # name of the temporary, in the same folder
    base: Version | None
    after: bytes | None

    @property
    def temporary(self) -> FolderEntry:
        """Where the new version is written, and where what it displaces then lies."""
        return self.place.name.sibling(self.beside)

    @property
    def temporary_path(self) -> str:
        """The path of the temporary, POSIX from the root."""
        return os.path.join(os.path.dirname(self.place.path), self.beside)


def prepare(target: Target) -> None:
    """Write the new version beside the file, with its mode and owner, and wait for the disk; raises OSError."""
    if target.after is not None:
        base = target.base
        fill(target.temporary, target.after, (lambda new: _dress(new, target.place, base.stat)) if base else None)


def publish(target: Target, lease_ms: int) -> None:
    """Put the new version in the file's place; the old one then has the temporary's name.

    Raises:
        Moved: the file is not what the change was made from; it is as its last writer left it.
        OSError: the system refused; the file is as it was.
    """
    ours = file_identity(target.temporary)
    if target.base is None:
        with _moved_if(FileExistsError):
            rename_new(target.temporary, target.place.name)
        return
    with _moved_if(FileNotFoundError):
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
                withdraw(target, ours)
                raise
            if faster:
                withdraw(target, ours)
                raise StaleBase
    finally:
        os.close(descriptor)


def withdraw(target: Target, ours: Key | None) -> None:
    """Undo `publish`: what was displaced is live again, unless an editor has saved over us; then its save is."""
    live, temporary = target.place.name, target.temporary
    if target.base is None:
        with contextlib.suppress(FileNotFoundError):
            rename_new(live, temporary)
        return
    with contextlib.suppress(FileExistsError):
        for _ in range(_TRIES):
            held = file_identity(temporary)
            try:
                if target.after is None:
                    rename_new(temporary, live)
                    return
                if not exchange(temporary, live):
                    rename(temporary, live)
                    return
            except FileNotFoundError:  # an editor has it renamed away for a moment
                rename_new(temporary, live)
                return
            if file_identity(temporary) == ours:
                return
            ours = held  # what came back is newer than what we gave: once more


def _read(descriptor: int, target: Target) -> bytes:
    return read_open(descriptor, target.place.path).data


def _displace(target: Target) -> None:
    live, temporary = target.place.name, target.temporary
    with _moved_if(FileNotFoundError):
        if target.after is None:
            rename_new(live, temporary)
        elif not exchange(temporary, live):  # weaker: what an editor saves between the next two lines is lost
            beside = temporary.sibling(f"{os.path.basename(temporary.name)}~")
            os.link(live.name, beside.name, src_dir_fd=live.folder, dst_dir_fd=beside.folder, follow_symlinks=False)
            rename(temporary, live)
            rename(beside, temporary)


def _dress(new: int, place: ResolvedPath, before: os.stat_result) -> None:
    """Give the new version what belongs to the file and not to its text: owner, mode, extended attributes."""
    with contextlib.suppress(PermissionError):  # only root may give a file away
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
    """Go on where a file system has no attributes, or only root may write this one; a broken disk is told."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOTSUP, errno.EPERM, errno.EACCES, errno.ENODATA):
            raise


@contextlib.contextmanager
def _moved_if(error: type[OSError]) -> Iterator[None]:
    try:
        yield
    except error as raised:
        raise StaleBase from raised


def file_identity(name: FolderEntry) -> Key | None:
    """Tell which file has a name; None where none has."""
    try:
        return _key(os.stat(name.name, dir_fd=name.folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _key(found: os.stat_result) -> Key:
    return found.st_dev, found.st_ino
