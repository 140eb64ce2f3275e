"""What a disk may hold after a power cut: a model of a file system that forgets everything it was not told to keep.

The model replays a trace. A file has two versions, the one in memory and the one of its last fsync; a folder has its
names as of its last fsync and the list of changes since. A cut may fall after every call. What survives it:

- *least*: only what was synced, names and bytes;
- *most*: everything, as after a plain kill;
- *between*, sampled with a seed: any subset of the unsynced changes to names (so they may be reordered), and each
  unsynced file as it was synced, as it was in memory, cut off half-way, or zeros of the right length.

A rename within one folder is one change. One between two folders is one change too, kept for sure only when both are
synced. That is weaker than ext4, xfs and btrfs promise, and on purpose.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from injector import Call

EXCHANGE = 2
Name = tuple["Node", str]  # a folder and a name in it


class Node:
    """A file or folder: what it holds in memory, and what the disk has for sure."""

    def __init__(self, *, folder: bool, data: bytes = b"") -> None:
        self.folder = folder
        self.data = self.synced = data
        self.names: dict[str, Node] = {}
        self.synced_names: dict[str, Node] = {}


class Change(NamedTuple):
    """One change to names, whole or not at all: what each name means from then on."""

    names: dict[Name, Node | None]
    unsynced: set[Node]  # the folders that must still be synced until it is kept for sure


class State(NamedTuple):
    """What a disk may hold, and what the caller had been told by then."""

    files: dict[str, bytes]
    acks: tuple[str, ...]
    after: int  # the number of the call after which the power went
    kind: str


class Disk:
    """A folder tree that a trace is replayed on."""

    def __init__(self, root: Path) -> None:
        self.path = str(root)
        self.top = Node(folder=True)
        self.inodes: dict[int, Node] = {os.stat(root).st_ino: self.top}
        self.changes: list[Change] = []
        self._load(self.top, self.path)

    def _load(self, folder: Node, path: str) -> None:
        for entry in os.scandir(path):
            seen = entry.stat(follow_symlinks=False)
            node = Node(folder=stat.S_ISDIR(seen.st_mode))
            if node.folder:
                self._load(node, entry.path)
            else:
                node.data = node.synced = Path(entry.path).read_bytes()
            folder.names[entry.name] = folder.synced_names[entry.name] = node
            self.inodes[seen.st_ino] = node

    def replay(self, call: Call) -> bool:
        """Take one call into account; tells whether it changed what a cut would leave."""
        if call.error or not call.changes:
            return False
        known = {"open": self._open, "write": self._write, "truncate": self._truncate, "fsync": self._fsync,
                 "mkdir": self._make, "rename": self._rename, "link": self._link, "unlink": self._unlink,
                 "rmdir": self._unlink}  # fmt: skip
        if call.name not in known:
            return False  # modes, owners and attributes: the model is about names and bytes
        known[call.name](call)
        return True

    def _at(self, path: str) -> Name | None:
        """Find the folder and the last name of a path; None where it lies elsewhere."""
        inside = os.path.relpath(os.path.normpath(path), self.path)
        if inside == "." or inside.startswith(".."):
            return None
        *above, name = inside.split("/")
        folder = self.top
        for part in above:
            folder = folder.names[part]
        return folder, name

    def _do(self, names: dict[Name, Node | None]) -> None:
        for (folder, name), node in names.items():
            if node is None:
                folder.names.pop(name, None)
            else:
                folder.names[name] = node
        self.changes.append(Change(names, {folder for folder, _ in names}))

    def _open(self, call: Call) -> None:
        place = self._at(call.path)
        if place and place[1] not in place[0].names:
            self.inodes[call.inode] = Node(folder=False)
            self._do({place: self.inodes[call.inode]})
        elif call.flags & os.O_TRUNC:
            self.inodes[call.inode].data = b""

    def _make(self, call: Call) -> None:
        if place := self._at(call.path):
            self.inodes[call.inode] = Node(folder=True)
            self._do({place: self.inodes[call.inode]})

    def _write(self, call: Call) -> None:
        node = self.inodes[call.inode]
        before = node.data.ljust(call.offset, b"\0")
        node.data = before[: call.offset] + call.data + before[call.offset + len(call.data) :]

    def _truncate(self, call: Call) -> None:
        node = self.inodes[call.inode]
        node.data = node.data[: call.offset].ljust(call.offset, b"\0")

    def _fsync(self, call: Call) -> None:
        node = self.inodes.get(call.inode)
        if node is None:
            return
        node.synced = node.data
        if node.folder:
            for change in self.changes:
                change.unsynced.discard(node)
            _apply([change for change in self.changes if not change.unsynced])
            self.changes = [change for change in self.changes if change.unsynced]

    def _rename(self, call: Call) -> None:
        one, other = self._at(call.path), self._at(call.path2)
        if one and other:
            moved, displaced = one[0].names[one[1]], other[0].names.get(other[1])
            self._do({one: displaced if call.flags & EXCHANGE else None, other: moved})

    def _link(self, call: Call) -> None:
        one, other = self._at(call.path), self._at(call.path2)
        node = one[0].names[one[1]] if one else self.inodes[call.inode]
        if other:
            self._do({other: node})

    def _unlink(self, call: Call) -> None:
        if place := self._at(call.path):
            self._do({place: None})

    def survivors(self, seed: int, between: int) -> Iterator[tuple[str, dict[str, bytes]]]:
        """Give what a cut may leave here: least, most, and so many states between."""
        yield "least", self._left([], lambda node: node.synced)
        yield "most", self._left(self.changes, lambda node: node.data)
        dice = random.Random(seed)
        for _ in range(between if self.changes or self._dirty() else 0):
            kept = [change for change in self.changes if dice.random() < 0.5]
            fates = {node: dice.choice(_fates(node)) for node in self.inodes.values()}
            yield "between", self._left(kept, fates.__getitem__)

    def _dirty(self) -> bool:
        return any(node.data != node.synced for node in self.inodes.values())

    def _left(self, kept: Iterable[Change], data: Callable[[Node], bytes]) -> dict[str, bytes]:
        """Give the files that are there when these changes to names were kept; empty folders end in `/`."""
        names = {node: dict(node.synced_names) for node in self.inodes.values() if node.folder}
        _apply(kept, names)
        found: dict[str, bytes] = {}
        pending = [("", self.top)]
        while pending:
            above, folder = pending.pop()
            for name, node in names[folder].items():
                if node.folder:
                    pending.append((f"{above}{name}/", node))
                    if not names[node]:
                        found[f"{above}{name}/"] = b""
                else:
                    found[above + name] = data(node)
        return found


def _apply(changes: Iterable[Change], to: dict[Node, dict[str, Node]] | None = None) -> None:
    for change in changes:
        for (folder, name), node in change.names.items():
            names = folder.synced_names if to is None else to[folder]
            if node is None:
                names.pop(name, None)
            else:
                names[name] = node


def _fates(node: Node) -> list[bytes]:
    """Give what may be left of a file whose last bytes were not synced."""
    if node.data == node.synced:
        return [node.data]
    same = next((i for i, (a, b) in enumerate(zip(node.data, node.synced, strict=False)) if a != b), None)
    same = min(len(node.data), len(node.synced)) if same is None else same
    half = node.data[: (same + len(node.data)) // 2]
    return [node.synced, node.data, half, node.data[:same].ljust(len(node.data), b"\0")]


def states(disk: Disk, trace: Sequence[Call], *, between: int, seed: int = 0) -> Iterator[State]:
    """Give every different state that a power cut may leave, at every moment of a trace."""
    seen: set[tuple[object, ...]] = set()
    acks: tuple[str, ...] = ()
    for index, call in enumerate([None, *trace]):
        if call and call.name == "mark":
            acks += (call.path,)
        elif call and not disk.replay(call):
            continue
        for kind, files in disk.survivors(seed + index, between):
            key = (acks, *sorted(files.items()))
            if key not in seen:
                seen.add(key)
                yield State(files, acks, call.number if call else 0, kind)
