"""Derives from the log which version of each file is known, so that losses outside mdmem are found.

Versions that mdmem wrote or a watcher observed are known. A version saved by hand that lost known text does not replace
the known one: that one stays until the file is restored, filled again, or the loss is dismissed.
"""

# Most imports are late: a lint whose log is unchanged loads neither the history nor the comparison.
from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from mdmem.errors import MdmemError
from mdmem.store.cache import Cache
from mdmem.store.files import digest

if TYPE_CHECKING:
    from mdmem.formats.loss import Loss
    from mdmem.store.files import FileSnapshot
    from mdmem.store.history.versions import Transaction, WrittenFile

_LOG, _OBJECTS = ".mdmem/history/log", ".mdmem/history/objects"
_EDITOR = "editor"  # as in `versions`, which is loaded late
_CHECK = 16  # characters of the checksum at the beginning of a line


Limits = tuple[float, int]  # the values of a `LossLimits`


class KnownFiles:
    """The known version of each file; `refresh` reads only the new lines of the log."""

    def __init__(self, root: str, limits: Limits, state: Any = None) -> None:  # noqa: ANN401 - any JSON value; it is checked here
        """Bind to a workspace; `state` is the value of `state` in an earlier run."""
        self._root, self._limits = root, limits
        self.files: dict[str, str] = {}  # path → digest of its known version
        self.lost: dict[str, str | None] = {}  # path → digest of the version observed last, if that is a loss
        self.programs: set[str] = set()  # files whose version observed last is executable
        self._seen: tuple[int, int, int] | None = None  # inode, size and time of the log when it was read last
        self._offset = 0  # end of the last complete line
        self._last: tuple[int, str] = (0, "")  # offset and checksum of that line
        with suppress(TypeError, ValueError):
            seen, self._offset, last, self.files, self.lost, programs = state
            self._seen, self._last, self.programs = tuple(seen) or None, tuple(last), {*programs}

    @property
    def state(self) -> list[Any]:
        """The state for a later run, in types that `Cache` keeps."""
        last, programs = list(self._last), sorted(self.programs)
        return [list(self._seen or ()), self._offset, last, self.files, self.lost, programs]

    def refresh(self) -> bool:
        """Read the new lines of the log and return whether there were any; an unreadable log is ignored."""
        try:
            info = os.lstat(os.path.join(self._root, _LOG))
        except OSError:
            grown, self._seen = self._seen is not None, None
            self._clear()
            return grown
        seen = (info.st_ino, info.st_size, info.st_mtime_ns)
        if seen == self._seen:
            return False
        same = self._seen is not None and self._seen[0] == info.st_ino and info.st_size >= self._offset
        with suppress(MdmemError, OSError):
            self._read(same=same)
        self._seen = seen
        return True

    def met_last(self, path: str) -> str | None:
        """Return the digest of the version observed last; None if there was no file, or none is known."""
        return self.lost[path] if path in self.lost else self.files.get(path)

    @property
    def versions(self) -> dict[str, str]:
        """For each known file a key of what it is compared with."""
        return self.files | {path: f"{self.files[path]} lost" for path in self.lost} if self.lost else self.files

    def take(self, change: Transaction) -> None:
        """Apply one change, newer than all before."""
        created = {file.after for file in change.files if file.after != file.before}
        for file in change.files:
            (self.programs.add if file.is_program else self.programs.discard)(file.path)
            is_moved = file.after is None and self.files.get(file.path) in created
            if not is_moved and self._is_loss(file, by_hand=change.actor == _EDITOR):
                self.lost[file.path] = file.after
                continue
            self.lost.pop(file.path, None)
            if file.after is None:
                self.files.pop(file.path, None)
            else:
                self.files[file.path] = file.after

    def loss(self, path: str, data: bytes | None) -> Loss:
        """Return how a file lost its known text, from its current bytes."""
        from mdmem.store.history.versions import fingerprint

        known = self.files.get(path)
        if known is None or (data is not None and fingerprint(data) == known):
            return ""
        before = self._version(known)
        return "" if before is None else self._compare(before, data, again=path in self.lost)

    def loss_of(self, path: str, seen: FileSnapshot) -> Loss:
        """Return how an examined file lost its known text; empty if the file was not read completely."""
        is_file = seen.type in ("regular", "missing") and seen.link in ("none", "inside")
        if not is_file or seen.size != len(seen.data):
            return ""
        return self.loss(path, seen.data if seen.type == "regular" else None)

    def gone(self, present: Collection[str], below: Sequence[str], everything: Callable[[], Collection[str]],
             cache: Cache) -> Iterator[str]:  # fmt: skip
        """Yield the known files that are missing and were not moved, sorted.

        Args:
            present: the files that a walk has found.
            below: only files and folders of these paths; "" is the whole workspace.
            everything: returns all files of the workspace, among which a moved one is looked for.
            cache: remembers what was moved, because the file may change at its new path.
        """
        for path in sorted(self.files.keys() - present):
            if not any(not top or path == top or path.startswith(f"{top}/") for top in below):
                continue
            if os.path.lexists(os.path.join(self._root, path)):
                continue
            name = digest("moved", path, self.files[path])
            if cache.get(name):
                continue
            if self._is_moved(self.files[path], everything()):
                cache.put(name, True)  # noqa: FBT003 - a value, not a switch
            elif self.loss(path, None):
                yield path

    def _is_moved(self, known: str, paths: Collection[str]) -> bool:
        """Return True if a file that was not known with this content has it now."""
        from mdmem.store.history.versions import fingerprint

        try:
            size = os.stat(os.path.join(self._root, _OBJECTS, known)).st_size
        except OSError:
            return False
        for path in paths:
            whole = os.path.join(self._root, path)
            with suppress(OSError):
                if self.files.get(path) != known and size and os.stat(whole).st_size == size and os.path.isfile(whole):
                    with open(whole, "rb") as stream:
                        if fingerprint(stream.read()) == known:
                            return True
        return False

    def _is_loss(self, file: WrittenFile, *, by_hand: bool) -> bool:
        """Return True if a manual edit lost known text, and this change did not fix that."""
        known, state = self.files.get(file.path), file.after if by_hand else file.before
        if known is None or state == known or file.after == known or (file.after is None and not by_hand):
            return False
        before = self._version(known)
        if before is None:
            return False
        states = {digest: self._version(digest) if digest else None for digest in (state, file.after)}
        # a version is no longer kept: no comparison is possible
        if any(digest and data is None for digest, data in states.items()):
            return False
        if not self._compare(before, states[state], again=file.path in self.lost):
            return False
        return bool(self._compare(before, states[file.after], again=True))

    def _compare(self, before: bytes, now: bytes | None, *, again: bool) -> Loss:
        from mdmem.formats.loss import (
            LossLimits,
            loss,
        )

        return loss(before, now, LossLimits(*self._limits), again=again)

    def _version(self, digest: str) -> bytes | None:
        from mdmem.store.history.versions import VersionStore
        from mdmem.store.root import Root

        with suppress(MdmemError, OSError), Root(self._root) as root:
            return VersionStore(root, 0).read(digest)
        return None

    def _clear(self) -> None:
        self.files, self.lost, self.programs, self._offset, self._last = {}, {}, set(), 0, (0, "")

    def _read(self, *, same: bool) -> None:
        from mdmem.store.history.versions import read_line
        from mdmem.store.root import Root, open_file

        with Root(self._root) as root:
            descriptor = open_file(root.place(_LOG))
            try:
                offset, check = self._last
                if not same or os.pread(descriptor, _CHECK, offset) != check.encode():  # the log was replaced
                    self._clear()
                data = _whole_lines(descriptor, self._offset)
            finally:
                os.close(descriptor)
        offset = self._offset
        for line in data.splitlines(keepends=True):
            self._last = (offset, line[:_CHECK].decode("ascii", "replace"))
            offset += len(line)
            if change := read_line(line):
                self.take(change)
        self._offset = offset


def known_files(root: str, limits: Limits, cache: Cache, key: str) -> KnownFiles:
    """Return the known files of a workspace; `key` changes when code or settings do."""
    name = digest(key, "known")
    known = KnownFiles(root, limits, cache.get(name))
    if known.refresh():
        cache.put(name, known.state)
    return known


def _whole_lines(descriptor: int, offset: int) -> bytes:
    """Read from an offset to the last end of a line."""
    pieces = []
    while piece := os.pread(descriptor, 1 << 20, offset):
        pieces.append(piece)
        offset += len(piece)
    data = b"".join(pieces)
    return data[: data.rfind(b"\n") + 1]
