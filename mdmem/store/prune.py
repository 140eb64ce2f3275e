"""Keeps the history small by a policy that anybody can read: `keep_days` and `keep_bytes` in mdmem.toml.

Each file's last version stays whatever its age: a broken or lost file is read from it. Lines of the log stay too; they
say that something was written, and cost next to nothing.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable

from mdmem.core.record import NamedTuple
from mdmem.core.settings.files import StoreSettings
from mdmem.store.history import FOLDER, History
from mdmem.store.root import Root

_STAMP = f"{FOLDER}/pruned"
_DAY = 86_400


class Kept(NamedTuple):
    """The versions in a history: how many, how many bytes."""

    versions: int
    bytes: int


def prune(history: History, settings: StoreSettings, now: dt.datetime, spare: Iterable[str] = ()) -> Kept:
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
    return Kept(len(sizes), total)


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
