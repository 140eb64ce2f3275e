"""Opens files below one folder and nothing else, component by component, without trusting links.

A symbolic link inside the workspace is resolved and walked like any other path, from the top; one that leaves it is
refused. Each step is relative to an open folder, so that a link swapped in between has no effect (DESIGN section 7).
"""

from __future__ import annotations

import errno
import os
import stat
import time
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self

from mdmem.errors import UnreadableFileError, WriteError
from mdmem.store.durable import FolderEntry, sync
from mdmem.store.files import open_waiting, take_from_others
from mdmem.store.walk import STATE_FOLDER, need_folder

RELATIVE = os.open in os.supports_dir_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_READ = os.O_RDONLY | _NOFOLLOW
_READABLE, _RUNNABLE = 0o444, 0o111  # bits of a file's mode, for owner, group and all others
_HOPS = 40  # most links on one path, as in Linux
ANY_SIZE = 1 << 40
_DAY = 86_400  # seconds


class OutsideError(UnreadableFileError):
    """A path leaves the workspace, is a cycle of links, or passes through something that is not a folder."""


class ResolvedPath(NamedTuple):
    """The location of a file of the workspace after links are resolved; `path` is POSIX, from the root."""

    name: FolderEntry
    path: str


class Version(NamedTuple):
    """The bytes of a file, and the identity of the file that held them."""

    data: bytes
    stat: os.stat_result


class Root:
    """An open workspace folder; a context manager that closes every folder it opened."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._folders: dict[str, int] = {}

    def __enter__(self) -> Self:
        try:
            self._folders[""] = os.open(self.path, _FOLDER) if RELATIVE else -1
        except OSError as error:
            need_folder(self.path)
            raise UnreadableFileError(
                "the memory folder cannot be opened: {reason}", facts={"reason": error.strerror}
            ) from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for descriptor in self._folders.values():
            if descriptor >= 0:
                os.close(descriptor)
        self._folders.clear()

    def place(self, path: str, *, make: bool = False) -> ResolvedPath:
        """Resolve a path; `make` creates missing folders, readable by their owner alone.

        Raises:
            OutsideError: the path leaves the workspace, is a cycle of links, or passes through something that is not a
                folder.
            UnreadableFileError: a folder on the path could not be opened.
            FileNotFoundError: a folder on the path is missing.
        """
        remaining, parts = _parts(path, path), []
        for _ in range(_HOPS):
            while remaining:
                parts.append(remaining.pop(0))
                # a folder that is already open is no link
                target = None if "/".join(parts) in self._folders else _link(self._name(parts))
                if target is not None:
                    remaining, parts = self._joined(parts[:-1], target, path) + remaining, []
                    break
                if remaining:
                    self._enter(parts, path, make=make)
            else:
                return ResolvedPath(self._name(parts), "/".join(parts))
        raise OutsideError("symbolic links form a loop", path=path)

    def names(self, folder: str) -> list[str]:
        """Return the sorted names in a folder; none if it is missing or is a link."""
        try:
            name = self.place(f"{folder}/_" if folder else "_").name
        except (FileNotFoundError, UnreadableFileError):
            return []
        if name.folder is None:
            parent = os.path.dirname(name.name)
            return sorted(os.listdir(parent)) if os.path.isdir(parent) else []
        return sorted(os.listdir(name.folder))

    def is_set_aside(self, path: str) -> bool:
        """Return True if a name beside a missing file contains its name, as while an editor saves by renaming."""
        folder, _, name = path.rpartition("/")
        with suppress(OSError):
            return any(name in other and name != other for other in self.names(folder))
        return False

    def resolve(self, path: str) -> str:
        """Return the path of a file after links are resolved; missing folders are kept as named."""
        try:
            return self.place(path).path
        except FileNotFoundError:
            return "/".join(_parts(path, path))

    def _name(self, parts: list[str]) -> FolderEntry:
        """Return the name of a path whose folders have been opened."""
        if not RELATIVE:
            return FolderEntry(None, os.path.join(self.path, *parts))
        return FolderEntry(self._folders["/".join(parts[:-1])], parts[-1])

    def _enter(self, parts: list[str], path: str, *, make: bool) -> None:
        key = "/".join(parts)
        if key not in self._folders:
            self._open_folder(parts, path, make=make)
        if make and RELATIVE and parts[0] == STATE_FOLDER:  # as an earlier version or a copy left it
            take_from_others(self._folders[key])

    def _open_folder(self, parts: list[str], path: str, *, make: bool) -> None:
        folder, name = self._name(parts)
        if make:
            try:
                os.mkdir(name, 0o700, dir_fd=folder)
                sync(FolderEntry(folder, name))
            except FileExistsError:
                pass
            except OSError as error:
                raise WriteError(
                    "its folder could not be created: {reason}", path=path, facts={"reason": error.strerror}
                ) from error
        if not RELATIVE:
            self._folders["/".join(parts)] = -1
            return
        try:
            self._folders["/".join(parts)] = os.open(name, _FOLDER | _NOFOLLOW, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.ENOENT:
                raise
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise OutsideError("its parent is not a folder", path=path) from error
            raise UnreadableFileError(
                "its folder could not be opened: {reason}", path=path, facts={"reason": error.strerror}
            ) from error

    def _joined(self, parts: list[str], target: str, path: str) -> list[str]:
        """Return the parts of a link's target, counted from the root."""
        if os.path.isabs(target):
            inside = os.path.relpath(os.path.normpath(target), os.path.realpath(self.path))
            return _parts(inside.replace(os.sep, "/"), path)
        whole = os.path.normpath("/".join([*parts, target.replace(os.sep, "/")]))
        return _parts(whole.replace(os.sep, "/"), path)


def remove_older(root: str, folder: str, days: int) -> None:
    """Remove the files of a folder that were last written more than so many days ago; none if it is behind a link."""
    with suppress(OSError, UnreadableFileError), Root(root) as opened:
        inside = [opened.place(f"{folder}/{name}") for name in opened.names(folder)]
        for place in (one for one in inside if one.path.startswith(f"{folder}/")):
            with suppress(OSError):  # one that another process has just removed, or that cannot be, keeps no other one
                name, at = place.name.name, place.name.folder
                if os.stat(name, dir_fd=at, follow_symlinks=False).st_mtime < time.time() - days * _DAY:
                    os.unlink(name, dir_fd=at)


def read(place: ResolvedPath, max_bytes: int = ANY_SIZE) -> Version | None:
    """Read a whole file; return None if there is none.

    Raises:
        UnreadableFileError: it is not a regular file, is too large, or the system refused.
    """
    try:
        descriptor = open_waiting(place.name.name, _READ, place.name.folder)
    except OSError as error:
        if error.errno == errno.ENOENT:
            return None
        raise UnreadableFileError(
            "could not be opened: {reason}", path=place.path, facts={"reason": error.strerror}
        ) from error
    try:
        return read_open(descriptor, place.path, max_bytes)
    finally:
        os.close(descriptor)


def is_program(info: os.stat_result) -> bool:
    """Return whether a file carries the mark of a program; False on a system without such modes."""
    return hasattr(os, "fchmod") and bool(info.st_mode & stat.S_IXUSR)


def mark_program(descriptor: int, *, is_program: bool) -> None:
    """Make an open file executable for those who may read it, or for nobody. Do nothing on a system without such modes.

    Raises:
        OSError: the system refused.
    """
    if not hasattr(os, "fchmod"):
        return
    mode = stat.S_IMODE(os.fstat(descriptor).st_mode)
    wanted = mode | (mode & _READABLE) >> 2 if is_program else mode & ~_RUNNABLE
    if wanted != mode:
        os.fchmod(descriptor, wanted)


def open_file(place: ResolvedPath) -> int:
    """Open a file for reading; a link in the last part of the path is not followed.

    Raises:
        UnreadableFileError: it is a FIFO, a device or a folder.
        OSError: the system refused.
    """
    descriptor = open_waiting(place.name.name, _READ, place.name.folder)
    try:
        require_regular(os.fstat(descriptor), place.path)
    except UnreadableFileError:
        os.close(descriptor)
        raise
    return descriptor


def require_regular(info: os.stat_result, path: str) -> None:
    """Raise UnreadableFileError for a folder, a FIFO or a device."""
    if stat.S_ISDIR(info.st_mode):
        raise UnreadableFileError("is a folder, not a file", path=path)
    if not stat.S_ISREG(info.st_mode):
        raise UnreadableFileError("not a regular file", path=path)


def read_open(descriptor: int, path: str, max_bytes: int = ANY_SIZE) -> Version:
    """Read an open file from its start. Raises UnreadableFileError."""
    try:
        info = os.fstat(descriptor)
        require_regular(info, path)
        if info.st_size > max_bytes:
            raise UnreadableFileError(
                "has {size} bytes; a memory has at most {max}",
                path=path,
                facts={"size": info.st_size, "max": max_bytes},
            )
        pieces, offset = [], 0
        while piece := os.pread(descriptor, info.st_size - offset + 1, offset):
            pieces.append(piece)
            offset += len(piece)
            if offset > max_bytes:
                raise UnreadableFileError(
                    "grew beyond {max} bytes while it was read", path=path, facts={"max": max_bytes}
                )
        return Version(b"".join(pieces), os.fstat(descriptor))
    except OSError as error:
        raise UnreadableFileError("could not be read: {reason}", path=path, facts={"reason": error.strerror}) from error


def _parts(path: str, shown: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or not parts or "\0" in path:
        raise OutsideError("outside the memory folder", path=shown)
    return parts


def _link(name: FolderEntry) -> str | None:
    """Return the target of a symbolic link; None for anything else, and for a missing file."""
    try:
        return os.readlink(name.name, dir_fd=name.folder)
    except OSError:
        return None
