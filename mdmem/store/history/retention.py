"""Keeps the history small by a policy that anybody can read: `keep_days` and `keep_bytes` in mdmem.toml.

Each file's last version stays whatever its age: a broken or lost file is read from it. Lines of the log stay too; they
say that something was written, and cost next to nothing.
"""

from __future__ import annotations

import datetime as dt
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import NamedTuple

from mdmem.errors import UnreadableFileError
from mdmem.settings.tables import StoreSettings
from mdmem.store import mirror, replace
from mdmem.store.history.versions import FOLDER, OBJECTS, Transaction, VersionStore, WrittenFile
from mdmem.store.journal import ASIDE, is_temporary
from mdmem.store.root import Root, read
from mdmem.store.walk import STATE_FOLDER

_STAMP = f"{FOLDER}/pruned"
_DAY = 86_400


class RetainedVersions(NamedTuple):
    """The versions in a history: how many, how many bytes."""

    versions: int
    bytes: int


def prune(
    history: VersionStore, settings: StoreSettings, now: dt.datetime, spare: Iterable[str] = ()
) -> RetainedVersions:
    """Drop the versions that are too old, then the oldest until the rest fits; gives what is left.

    The versions of these digests (`spare`) are kept, as each file's last is.
    """
    last: dict[str, str] = {}
    newest: dict[str, str] = {}  # digest → the time of the last line that names it
    for transaction in history.log():
        for one in transaction.files:
            if one.after:
                last.setdefault(one.path, one.after)
            for digest in filter(None, (one.before, one.after)):
                newest.setdefault(digest, transaction.time)
    spared = {*last.values(), *spare}
    sizes = {digest: history.size(digest) for digest in history.objects()}
    oldest_first = sorted(sizes, key=lambda digest: newest.get(digest, ""))
    limit = (now - dt.timedelta(days=settings.keep_days)).astimezone(dt.UTC)
    total = sum(sizes.values())
    for digest in oldest_first:
        if digest not in newest:  # no line names it: of a change that is under way, or that came to nothing
            drop = now.timestamp() - history.written(digest) > _DAY
        else:
            too_old = dt.datetime.fromisoformat(newest[digest]) < limit
            drop = digest not in spared and (too_old or total > settings.keep_bytes)
        if drop:
            history.drop(digest)
            total -= sizes.pop(digest)
    return RetainedVersions(len(sizes), total)


def is_due(root: Root, now: dt.datetime) -> bool:
    """Tell whether a day has passed since the last pruning, and if so, remember that it is done now; raises OSError."""
    name = root.place(_STAMP, make=True).name
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
    stamp = os.open(name.name, flags, 0o600, dir_fd=name.folder)
    try:
        if now.timestamp() - os.fstat(stamp).st_mtime < _DAY:
            return False
        os.utime(stamp)
        return True
    finally:
        os.close(stamp)


_DERIVED = ("queue.json",)  # made again from the files


class StoredTrace(NamedTuple):
    """Something in the state folder that holds a text, or that may hold it, for it cannot be read."""

    what: str  # version, grave, line, derived, unread
    name: str  # digest, path, id of a transaction
    reason: str = ""  # why it cannot be read


def traces(root: Root, regex: re.Pattern[str], clean: set[str]) -> Iterator[StoredTrace]:
    """Look through everything in the state folder; what cannot be read is given as such.

    `clean` are the versions that are known not to hold the text, and gets those that are found so: a version never
    changes, so that a second look reads only what was written since the first.
    """
    history = VersionStore(root, 0)
    try:
        digests = list(history.objects())
    except OSError as error:
        digests = []
        yield StoredTrace("unread", OBJECTS, error.strerror or "")
    for digest in digests:
        if digest not in clean:
            found = list(_looked("version", f"{OBJECTS}/{digest}", digest, partial(history.raw, digest), regex))
            clean.update(() if found else (digest,))
            yield from found
    unread: list[OSError] = []
    for path in _below(root, STATE_FOLDER, unread.append):
        if path.startswith((f"{replace.FOLDER}/", f"{ASIDE}/", f"{mirror.FOLDER}/")) or is_temporary(
            os.path.basename(path)
        ):
            yield from _looked("grave", path, path, partial(_data, root, path), regex)
    yield from (StoredTrace("unread", inside(root.path, one), one.strerror or "") for one in unread)
    try:
        yield from [StoredTrace("line", one.id) for one in history.explained(regex)]
    except UnreadableFileError as error:
        yield StoredTrace("unread", error.path, error.message)
    for name in _DERIVED:
        if os.path.lexists(os.path.join(root.path, STATE_FOLDER, name)):
            yield StoredTrace("derived", f"{STATE_FOLDER}/{name}")


def _looked(
    what: str, path: str, name: str, load: Callable[[], bytes | None], regex: re.Pattern[str]
) -> Iterator[StoredTrace]:
    try:
        data = load()
    except UnreadableFileError as error:
        yield StoredTrace("unread", path, error.message)
    except OSError as error:
        if not isinstance(error, FileNotFoundError):
            yield StoredTrace("unread", path, error.strerror or "")
    else:
        if data is not None and regex.search(data.decode("utf-8", "surrogateescape")):
            yield StoredTrace(what, name)


def purge(root: Root, found: Iterable[StoredTrace], struck: Mapping[str, str], lock_seconds: float) -> None:
    """Remove them; a line of the log only loses its reason. Raises OSError, LockedError, WriteError.

    `struck` are the versions, by digest, that take the place of some of them: the log names these before the old go.
    """
    found, history = list(found), VersionStore(root, lock_seconds)
    lines = {one.name for one in found if one.what == "line"}
    if lines or struck:
        history.rewrite(partial(_changed, lines=lines, struck=struck))
    for one in found:
        if one.what == "version":
            history.drop(one.name)
        elif one.what not in ("line", "unread"):
            name = root.place(one.name).name
            os.unlink(name.name, dir_fd=name.folder)


def _changed(line: Transaction, lines: Collection[str], struck: Mapping[str, str]) -> Transaction:
    """Return a line of the log without its reason, where that held the text, and with the digests that now hold."""
    files = tuple(
        WrittenFile(one.path, struck.get(one.before or "", one.before), struck.get(one.after or "", one.after))
        for one in line.files
    )
    return line._replace(files=files, reason="" if line.id in lines else line.reason)


def inside(root: str, error: OSError) -> str:
    """Return the path, from the root, of the folder that an error is about."""
    whole = isinstance(error.filename, str) and os.path.isabs(error.filename)  # else it lies in a folder of ours
    return os.path.relpath(error.filename, root).replace(os.sep, "/") if whole else STATE_FOLDER


def _data(root: Root, path: str) -> bytes | None:
    found = read(root.place(path))
    return found.data if found else None


def _below(root: Root, folder: str, unread: Callable[[OSError], None]) -> Iterator[str]:
    def missed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            unread(error)

    for above, _, names in os.walk(os.path.join(root.path, folder), onerror=missed):
        below = os.path.relpath(above, root.path).replace(os.sep, "/")
        yield from (f"{below}/{name}" for name in sorted(names))
