"""What the pen is about to do, written down before it does it, so that a crash leaves no half change.

`.mdmem/journal/ID.begun` names the files and the temporaries of a change. One over several files is decided when that
file, durable, is renamed to `ID.decided`: from then on it will be finished, by us or by the next who comes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from mdmem.core.record import NamedTuple
from mdmem.store.atomic import Name, discard, rename, sync
from mdmem.store.durable import write_all
from mdmem.store.record import Transaction, read_line
from mdmem.store.root import Root, read

FOLDER = ".mdmem/journal"
_MAX_BYTES = 1 << 26


class Pending(NamedTuple):
    """A change under way, or one that a crash left."""

    transaction: Transaction
    temporaries: Mapping[str, str]  # path → the path of its temporary
    decided: bool


class Journal:
    """The changes under way in one workspace."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def begin(self, pending: Pending) -> None:
        """Write down a change; raises OSError."""
        name = self._name(f"{pending.transaction.id}.begun")
        data = pending.transaction.line() + json.dumps(dict(pending.temporaries)).encode()
        descriptor = os.open(name.name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=name.folder)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)

    def decide(self, identity: str) -> None:
        """Decide a change over several files: it is durable, and will be finished whatever happens; raises OSError."""
        begun = self._name(f"{identity}.begun")
        descriptor = os.open(begun.name, os.O_RDONLY, dir_fd=begun.folder)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        rename(begun, self._name(f"{identity}.decided"))
        sync(begun)

    def end(self, identity: str) -> None:
        """Forget a change that is finished; should a power cut bring it back, the log knows it."""
        for state in ("begun", "decided"):
            discard(self._name(f"{identity}.{state}"))

    def give_up(self, identity: str) -> None:
        """Forget a change that was taken back, so that no power cut brings it back; raises OSError."""
        self.end(identity)
        sync(self._name(identity))

    def pending(self) -> list[Pending]:
        """Give the changes under way, oldest first; one whose note never became whole was never decided."""
        return [found for name in self._notes() if (found := self._read(name))]

    def unreadable(self) -> list[str]:
        """Give the paths of the notes that are not whole: being written now, or left so by a power cut."""
        return [f"{FOLDER}/{name}" for name in self._notes() if self._read(name) is None]

    def _notes(self) -> list[str]:
        return self._root.names(FOLDER)

    def _read(self, name: str) -> Pending | None:
        identity, _, state = name.partition(".")
        version = read(self._root.place(f"{FOLDER}/{name}"), _MAX_BYTES)
        line, _, rest = version.data.partition(b"\n") if version else (b"", b"", b"")
        with suppress(ValueError, KeyError, TypeError):
            transaction = read_line(line)
            if transaction and transaction.id == identity:
                return Pending(transaction, json.loads(rest), state == "decided")
        return None

    def _name(self, name: str) -> Name:
        return self._root.place(f"{FOLDER}/{name}", make=True).name
