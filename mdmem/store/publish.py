"""How one file takes another's place: under a lease, by an exchange of names, and with a look at what was displaced.

A check followed by a rename loses the saves that come between. So the names change places in one step, and what then
lies under the temporary name must be the very file that was read; if it is another, an editor was faster: the names
are changed back, and the caller begins again from what the editor wrote (DESIGN section 7).
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Iterator, Sequence

from mdmem.core.record import NamedTuple
from mdmem.store.atomic import Name, exchange, rename, rename_new
from mdmem.store.durable import fill
from mdmem.store.lease import leased
from mdmem.store.root import Place, Version, open_file, read_open

Key = tuple[int, int]  # device and inode: which file it is, whatever its name

_TRIES = 100  # an editor would have to save between each two of our system calls to need them


class Moved(Exception):  # noqa: N818 - no error: somebody else saved first, and the work begins again
    """The file is no longer what the change was made from."""

    def __init__(self, made: Sequence[Target] = ()) -> None:
        super().__init__()
        self.made = made  # the whole change, where it was live for a moment: an editor may have loaded it


class Target(NamedTuple):
    """One file of a change; None is «no such file»."""

    place: Place
    beside: str  # name of the temporary, in the same folder
    base: Version | None
    after: bytes | None

    @property
    def temporary(self) -> Name:
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
    ours = which(target.temporary)
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
                raise Moved
            _displace(target)
            try:
                faster = which(target.temporary) not in (None, _key(live)) or lease.wanted()
            except OSError:
                withdraw(target, ours)
                raise
            if faster:
                withdraw(target, ours)
                raise Moved
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
            held = which(temporary)
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
            if which(temporary) == ours:
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


def _dress(new: int, place: Place, before: os.stat_result) -> None:
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
        raise Moved from raised


def which(name: Name) -> Key | None:
    """Tell which file has a name; None where none has."""
    try:
        return _key(os.stat(name.name, dir_fd=name.folder, follow_symlinks=False))
    except FileNotFoundError:
        return None


def _key(found: os.stat_result) -> Key:
    return found.st_dev, found.st_ino
