"""Read and replace files outside of the workspace: an agent's settings, the AGENTS.md of a project.

The pen writes in the workspace only. Here too a file is the old or the new version, whole, and what somebody else saved
in the meantime is put back.
"""

from __future__ import annotations

import difflib
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from mdmem.errors import ConflictError, WriteError
from mdmem.linter.masking import mask
from mdmem.store.durable import FolderEntry, discard, exchange, fill, rename, rename_new, sync
from mdmem.store.files import require_inside, short_path
from mdmem.store.root import RELATIVE, read_open

PRIVATE = stat.S_IRUSR | stat.S_IWUSR
SHARED = PRIVATE | stat.S_IRGRP | stat.S_IROTH
STALE = "somebody else has changed it meanwhile"
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_THROUGH = _FOLDER | getattr(os, "O_PATH", 0)  # a folder that may be entered need not be readable
_TRIES = 5  # needed only if somebody else saves between reading and writing


def masked_diff(path: str, before: str, after: str) -> str:
    """Return the changed lines, with secrets masked: settings of agents contain keys."""
    name = short_path(path)
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), name, name, n=0, lineterm="")
    return mask("\n".join(lines))


def project_of(path: str) -> str:
    """Return the folder to which a file belongs: its git repository, else the folder in which it stands."""
    own = folder = os.path.dirname(os.path.abspath(path))
    while not os.path.lexists(os.path.join(folder, ".git")):
        folder, before = os.path.dirname(folder), folder
        if folder == before:
            return own
    return folder


def require_writable(path: str) -> None:
    """Refuse a file that is read-only; a rename would replace it all the same.

    Raises:
        WriteError: nobody may write the file.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError:  # it is new, or replacing it tells what is wrong
        return
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        hint = "make it writable and try again; nothing was changed"
        raise WriteError("is read-only", path=short_path(path), hint=hint)


def replace_outside(
    path: str, before: bytes | None, after: bytes | None, mode: int = PRIVATE, within: str = ""
) -> None:
    """Replace a file, behind a link if it is one; it keeps its permissions.

    Args:
        path: absolute.
        before: what was read; None if there was no file.
        after: what to write; None removes the file.
        mode: the permissions of a new file.
        within: the folder out of which no link may lead, its own path without links; empty for a file of the user's.

    Raises:
        ConflictError: somebody else has changed the file since; it is as they saved it.
        RefusedError: a link leads out of the folder.
        WriteError: the file is read-only, or the system refused.
    """
    path = _real(path, within)
    require_writable(path)
    shown = short_path(path)
    try:
        with _entry(path) as name:
            temporary = name.sibling(f".{os.urandom(8).hex()}.mdmem")
            try:
                is_done = _replaced(name, temporary, before, after, mode)
            finally:
                discard(temporary)
            sync(name)
    except OSError as error:
        raise WriteError(
            "could not be written: {reason}", path=shown, hint="nothing was changed", facts={"reason": error.strerror}
        ) from error
    if not is_done:
        raise ConflictError(STALE, path=shown, hint="nothing was changed; try again")


def _real(path: str, within: str) -> str:
    """Return the path behind links, which is opened as it is; raises RefusedError if it is not within a folder."""
    if within:
        require_inside(path, within)
    return os.path.realpath(path)


def remove_empty(folder: str, within: str) -> None:
    """Remove a folder that is empty, and those above it within a folder. Raises OSError, RefusedError."""
    while folder != within:
        with _entry(_real(folder, within)) as name:
            os.rmdir(name.name, dir_fd=name.folder)
        folder = os.path.dirname(folder)


def settled(change: Callable[[], None]) -> None:
    """Make a change that reads and writes anew as often as somebody else saves in between.

    Raises:
        ConflictError: somebody else saved each time.
    """
    for _ in range(_TRIES - 1):
        with suppress(ConflictError):
            return change()
    return change()


@contextmanager
def _entry(path: str) -> Iterator[FolderEntry]:
    """Open the folder of a file, which is made if it is missing; a link that is put in the way is not followed."""
    folder, name = os.path.split(path)
    if not RELATIVE:
        os.makedirs(folder, exist_ok=True)
        yield FolderEntry(None, path)
        return
    descriptor = os.open(os.sep, _THROUGH)
    try:
        *above, last = folder.split(os.sep)
        for part in filter(None, above):
            descriptor = _below(descriptor, part, _THROUGH)
        descriptor = _below(descriptor, last or ".", _FOLDER)
        yield FolderEntry(descriptor, name)
    finally:
        os.close(descriptor)


def _below(folder: int, name: str, flags: int) -> int:
    """Open a folder in an open one, which is closed then; make it if it is missing. Raises OSError."""
    flags |= getattr(os, "O_NOFOLLOW", 0)
    try:
        found = os.open(name, flags, dir_fd=folder)
    except FileNotFoundError:
        with suppress(FileExistsError):
            os.mkdir(name, dir_fd=folder)
        found = os.open(name, flags, dir_fd=folder)
    os.close(folder)
    return found


def _replaced(name: FolderEntry, temporary: FolderEntry, before: bytes | None, after: bytes | None, mode: int) -> bool:
    """Replace, make or remove a file; return False if it is not what was read."""
    if after is None:
        return _removed(name, temporary, before)
    if before is None:
        fill(temporary, after, lambda descriptor: _set_access(descriptor, mode))
        try:
            rename_new(temporary, name)
        except FileExistsError:
            return False
        return True
    info = os.stat(name.name, dir_fd=name.folder)
    fill(temporary, after, lambda descriptor: _set_access(descriptor, stat.S_IMODE(info.st_mode), info))
    if _read(name) != before:
        return False
    if not exchange(name, temporary):
        rename(temporary, name)
        return True
    return _kept_saves(name, temporary, before, after)


def _set_access(descriptor: int, mode: int, owner: os.stat_result | None = None) -> None:
    """Set the owner, as far as the system allows it, and the permissions of an open file."""
    if owner and hasattr(os, "fchown"):
        with suppress(OSError):
            os.fchown(descriptor, owner.st_uid, owner.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(descriptor, mode)


def _kept_saves(name: FolderEntry, temporary: FolderEntry, before: bytes, after: bytes) -> bool:
    """Put back what somebody saved just before the exchange; return False if somebody did."""
    expected, live, is_ours = before, after, True
    while (displaced := _read(temporary)) != expected:
        exchange(name, temporary)
        expected, live, is_ours = live, displaced, False
    return is_ours


def _removed(name: FolderEntry, temporary: FolderEntry, before: bytes | None) -> bool:
    if _read(name) != before:
        return False
    rename(name, temporary)
    if _read(temporary) == before:
        return True
    with suppress(FileExistsError):
        rename_new(temporary, name)
    return False


def _read(name: FolderEntry) -> bytes:
    descriptor = os.open(name.name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0), dir_fd=name.folder)
    try:
        return read_open(descriptor, name.name).data
    finally:
        os.close(descriptor)
