"""Opens what lies below one folder and nothing else: component by component, following no link on trust.

A symbolic link inside the workspace is read and walked like any other path, from the top; one that leaves it is
refused. Because every step is taken relative to an open folder, nobody can swap a link in between (DESIGN section 7).
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple, Self

from mdmem.errors import UnreadableFileError, WriteError
from mdmem.store.durable import FolderEntry, sync

RELATIVE = os.open in os.supports_dir_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
# O_NONBLOCK: a FIFO is opened without waiting, and then refused
_READ = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_HOPS = 40  # links on one path, as in Linux
_ANY_SIZE = 1 << 40


class OutsideError(UnreadableFileError):
    """A path leaves the workspace, goes in circles, or passes through what is no folder."""


class ResolvedPath(NamedTuple):
    """Where a file of the workspace lies once links are followed; `path` is POSIX, from the root."""

    name: FolderEntry
    path: str


class Version(NamedTuple):
    """The bytes of a file, and which file it was that held them."""

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
        """Find where a path leads; `make` creates the folders on the way, for our eyes only.

        Raises:
            OutsideError: it leaves the workspace, goes in circles, or passes through what is no folder.
            UnreadableFileError: a folder on the way could not be opened.
            FileNotFoundError: a folder on the way is missing.
        """
        rest, done = _parts(path, path), []
        for _ in range(_HOPS):
            while rest:
                done.append(rest.pop(0))
                # a folder that is open already is no link
                target = None if "/".join(done) in self._folders else _link(self._name(done))
                if target is not None:
                    rest, done = self._joined(done[:-1], target, path) + rest, []
                    break
                if rest:
                    self._enter(done, path, make=make)
            else:
                return ResolvedPath(self._name(done), "/".join(done))
        raise OutsideError("symbolic links that go in circles", path=path)

    def names(self, folder: str) -> list[str]:
        """List what lies in a folder of ours, in order; nothing where it is missing, or is a link."""
        try:
            name = self.place(f"{folder}/_" if folder else "_").name
        except (FileNotFoundError, UnreadableFileError):
            return []
        if name.folder is None:
            above = os.path.dirname(name.name)
            return sorted(os.listdir(above)) if os.path.isdir(above) else []
        return sorted(os.listdir(name.folder))

    def is_set_aside(self, path: str) -> bool:
        """Return True if a file beside a missing one bears its name too, as while an editor saves it by renaming."""
        folder, _, name = path.rpartition("/")
        with suppress(OSError):
            return any(name in other and name != other for other in self.names(folder))
        return False

    def resolve(self, path: str) -> str:
        """Give the path that a file has once links are followed; folders that are missing are taken as named."""
        try:
            return self.place(path).path
        except FileNotFoundError:
            return "/".join(_parts(path, path))

    def _name(self, parts: list[str]) -> FolderEntry:
        """Name what lies in folders that were entered before."""
        if not RELATIVE:
            return FolderEntry(None, os.path.join(self.path, *parts))
        return FolderEntry(self._folders["/".join(parts[:-1])], parts[-1])

    def _enter(self, parts: list[str], path: str, *, make: bool) -> None:
        key = "/".join(parts)
        if key in self._folders:
            return
        folder, name = self._name(parts)
        if make:
            try:
                os.mkdir(name, 0o700, dir_fd=folder)
                sync(FolderEntry(folder, name))
            except FileExistsError:
                pass
            except OSError as error:
                raise WriteError(
                    "its folder could not be made: {reason}", path=path, facts={"reason": error.strerror}
                ) from error
        if not RELATIVE:
            self._folders[key] = -1
            return
        try:
            self._folders[key] = os.open(name, _FOLDER | _NOFOLLOW, dir_fd=folder)
        except OSError as error:
            if error.errno == errno.ENOENT:
                raise
            if error.errno in (errno.ENOTDIR, errno.ELOOP):
                raise OutsideError("lies below something that is no folder", path=path) from error
            raise UnreadableFileError(
                "its folder could not be opened: {reason}", path=path, facts={"reason": error.strerror}
            ) from error

    def _joined(self, done: list[str], target: str, path: str) -> list[str]:
        """Give the parts that a link means, counted from the root."""
        if os.path.isabs(target):
            inside = os.path.relpath(os.path.normpath(target), os.path.realpath(self.path))
            return _parts(inside.replace(os.sep, "/"), path)
        whole = os.path.normpath("/".join([*done, target.replace(os.sep, "/")]))
        return _parts(whole.replace(os.sep, "/"), path)


def read(place: ResolvedPath, max_bytes: int = _ANY_SIZE) -> Version | None:
    """Read a file whole; None where there is none.

    Raises:
        UnreadableFileError: it is no regular file, too large, or the system refused.
    """
    try:
        descriptor = os.open(place.name.name, _READ, dir_fd=place.name.folder)
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


def open_file(place: ResolvedPath) -> int:
    """Open a file for reading, without following a link in its last part."""
    return os.open(place.name.name, _READ, dir_fd=place.name.folder)


def read_open(descriptor: int, path: str, max_bytes: int = _ANY_SIZE) -> Version:
    """Read an open file from its start; raises UnreadableFileError."""
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFileError("is no regular file", path=path)
        if found.st_size > max_bytes:
            raise UnreadableFileError(
                "has {size} bytes; a memory has at most {max}",
                path=path,
                facts={"size": found.st_size, "max": max_bytes},
            )
        pieces, at = [], 0
        while piece := os.pread(descriptor, found.st_size - at + 1, at):
            pieces.append(piece)
            at += len(piece)
            if at > max_bytes:
                raise UnreadableFileError(
                    "grew beyond {max} bytes while it was read", path=path, facts={"max": max_bytes}
                )
        return Version(b"".join(pieces), os.fstat(descriptor))
    except OSError as error:
        raise UnreadableFileError("could not be read: {reason}", path=path, facts={"reason": error.strerror}) from error


def _parts(path: str, shown: str) -> list[str]:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or not parts or "\0" in path:
        raise OutsideError("leads out of the memory folder", path=shown)
    return parts


def _link(name: FolderEntry) -> str | None:
    """Give what a symbolic link says; None for everything else, and for nothing."""
    try:
        return os.readlink(name.name, dir_fd=name.folder)
    except OSError:
        return None
