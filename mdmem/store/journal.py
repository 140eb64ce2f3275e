"""The journal: each change is noted before it is made, so that a crash leaves no partial change.

`.mdmem/journal/ID.begun` names the files and the temporary files of a change. A change of several files is decided when
this file, durable, is renamed to `ID.decided`. From then on it will be completed, by this process or by the next one.

An entry that no pen can have written is moved to `.mdmem/journal-aside/`: it names files outside the workspace, is a
link, a folder or too large, or is not even the beginning of an entry.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Mapping
from typing import NamedTuple

from mdmem.store.durable import FolderEntry, discard, rename, sync, write_all
from mdmem.store.files import open_private
from mdmem.store.history.versions import Transaction, read_line
from mdmem.store.root import ResolvedPath, Root, read
from mdmem.text.pattern import pattern

FOLDER = ".mdmem/journal"
ASIDE = ".mdmem/journal-aside"
_MAX_BYTES = 1 << 24
_UNSOUND = -1.0
# the beginning of the line of a transaction: checksum and text
_LINE = pattern(r"(?s)[0-9a-f]{0,16}|[0-9a-f]{16} (?:\{.*)?")
_CLOSED = (".mdmem", ".git")  # no change writes into these folders


class UnsoundEntryError(Exception):
    """An entry of the journal that no pen can have written."""


class PendingChange(NamedTuple):
    """A change that is being made, or that a crash interrupted."""

    transaction: Transaction
    temporaries: Mapping[str, str]  # path → path of its temporary file
    decided: bool


class JournalContents(NamedTuple):
    """The content of the journal."""

    pending: list[PendingChange]
    damaged: list[str]  # names of entries


class Journal:
    """The pending changes of one workspace."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def begin(self, pending: PendingChange) -> None:
        """Note a change before it is made. Raises OSError."""
        name = self._name(f"{pending.transaction.id}.begun")
        data = pending.transaction.line() + json.dumps(dict(pending.temporaries)).encode()
        descriptor = open_private(name.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, name.folder)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)

    def decide(self, identity: str) -> None:
        """Decide a change of several files: it is durable, and will be completed in any case. Raises OSError."""
        begun = self._name(f"{identity}.begun")
        descriptor = os.open(begun.name, os.O_RDONLY, dir_fd=begun.folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        rename(begun, self._name(f"{identity}.decided"))
        sync(begun)

    def end(self, identity: str) -> None:
        """Remove the note of a finished change; if a power cut restores the note, the log knows the change."""
        for state in ("begun", "decided"):
            discard(self._name(f"{identity}.{state}"))

    def give_up(self, identity: str) -> None:
        """Remove the note of a change that was undone, durably. Raises OSError."""
        self.end(identity)
        sync(self._name(identity))

    def pending(self) -> list[PendingChange]:
        """Return the pending changes, oldest first; one with an incomplete entry was never decided."""
        return self.look().pending

    def look(self, torn_before: float = 0) -> JournalContents:
        """Read the journal; an incomplete entry counts as damaged if its last write was before a time of the epoch."""
        contents = JournalContents([], [])
        for name in self._root.names(FOLDER):
            entry = self._read(name)
            if isinstance(entry, PendingChange):
                contents.pending.append(entry)
            elif entry < torn_before or entry == _UNSOUND:
                contents.damaged.append(name)
        return contents

    def set_aside(self, name: str) -> None:
        """Move an entry of any type out of the journal. Raises OSError."""
        aside = self._root.place(f"{ASIDE}/_", make=True).name.sibling(f"{time.time_ns():020d}-{name}")
        rename(self._entry(name), aside)

    def aside(self) -> list[str]:
        """Return the names of the entries that were set aside."""
        return self._root.names(ASIDE)

    def _read(self, name: str) -> PendingChange | float:
        """Read an entry; return the write time of an incomplete one, and `_UNSOUND` for an invalid one."""
        identity, _, state = name.partition(".")
        if state not in ("begun", "decided"):
            return _UNSOUND
        entry = ResolvedPath(self._entry(name), f"{FOLDER}/{name}")
        try:
            info = os.stat(entry.name.name, dir_fd=entry.name.folder, follow_symlinks=False)
        except FileNotFoundError:  # it was completed in the meantime
            return time.time()
        if not stat.S_ISREG(info.st_mode) or info.st_size > _MAX_BYTES:
            return _UNSOUND
        version = read(entry)
        if version is None:
            return time.time()
        line, _, rest = version.data.partition(b"\n")
        transaction = read_line(line)
        try:
            temporaries = json.loads(rest) if transaction else None
        except (ValueError, RecursionError):
            temporaries = None
        if transaction is None or temporaries is None:
            begun = state == "begun" and _is_beginning(line, transaction, rest, whole=len(line) < len(version.data))
            return version.stat.st_mtime if begun else _UNSOUND
        pending = PendingChange(transaction, temporaries, state == "decided")
        return pending if transaction.id == identity and _is_sound(pending) else _UNSOUND

    def _entry(self, name: str) -> FolderEntry:
        """Return the name of an entry; a link is not followed."""
        return self._root.place(f"{FOLDER}/_").name.sibling(name)

    def _name(self, name: str) -> FolderEntry:
        return self._root.place(f"{FOLDER}/{name}", make=True).name


def _is_beginning(line: bytes, transaction: Transaction | None, rest: bytes, *, whole: bool) -> bool:
    """Return True if a pen may be writing this entry now: what is there is the beginning of a valid entry."""
    if whole:  # the line is complete
        return transaction is not None and rest[:1] in (b"", b"{")
    return _LINE.fullmatch(line.decode("latin-1")) is not None


def _is_sound(pending: PendingChange) -> bool:
    """Return True if an entry names files of the workspace only, and a temporary file beside each."""
    temporaries = pending.temporaries
    paths = {one.path for one in pending.transaction.files}
    if not paths or not isinstance(temporaries, dict) or not temporaries.keys() <= paths:
        return False
    return all(map(_is_inside, paths)) and all(
        isinstance(one, str) and os.path.dirname(one) == os.path.dirname(path) and is_temporary(os.path.basename(one))
        for path, one in temporaries.items()
    )


def _is_inside(path: str) -> bool:
    parts = path.split("/")
    return not (path.startswith("/") or "\0" in path or {"", ".", ".."} & {*parts} or {*_CLOSED} & {*parts})


def temporary_name(path: str) -> str:
    """Return a unique name for the temporary file of a file, in the same folder."""
    return f".{os.path.basename(path)[:40]}.{os.urandom(8).hex()}.mdmem"


def is_temporary(name: str) -> bool:
    """Return True if `temporary_name` can have made a name."""
    return name.startswith(".") and name.endswith(".mdmem") and name != ".mdmem"
