"""Prunes the history by `keep_days` and `keep_bytes` of mdmem.toml.

The last version of each file stays whatever its age: a damaged or lost file is restored from it. Lines of the log stay
too; they show that something was written, and are small.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable
from typing import NamedTuple

from mdmem.settings.tables import StoreSettings
from mdmem.store.files import open_private
from mdmem.store.history.versions import FOLDER, VersionStore
from mdmem.store.root import Root

_STAMP = f"{FOLDER}/pruned"
_DAY = 86_400


class RetainedVersions(NamedTuple):
    """The number of versions in a history, and their bytes."""

    versions: int
    bytes: int


def prune(
    history: VersionStore, settings: StoreSettings, now: dt.datetime, spare: Iterable[str] = ()
) -> RetainedVersions:
    """Drop the versions that are too old, then the oldest until the rest fits; return what is left.

    The versions with the digests in `spare` are kept, as the last version of each file is.
    """
    last: dict[str, str] = {}
    newest: dict[str, str] = {}  # digest → time of the newest line that names it
    for transaction in history.log():
        for file in transaction.files:
            if file.after:
                last.setdefault(file.path, file.after)
            for digest in filter(None, (file.before, file.after)):
                newest.setdefault(digest, transaction.time)
    spared = {*last.values(), *spare}
    sizes = {digest: history.size(digest) for digest in history.objects()}
    oldest_first = sorted(sizes, key=lambda digest: newest.get(digest, ""))
    limit = (now - dt.timedelta(days=settings.keep_days)).astimezone(dt.UTC)
    total = sum(sizes.values())
    for digest in oldest_first:
        if digest not in newest:  # no line names it: the change is pending, or was given up
            drop = now.timestamp() - history.written(digest) > _DAY
        else:
            too_old = dt.datetime.fromisoformat(newest[digest]) < limit
            drop = digest not in spared and (too_old or total > settings.keep_bytes)
        if drop:
            history.drop(digest)
            total -= sizes.pop(digest)
    return RetainedVersions(len(sizes), total)


def is_due(root: Root, now: dt.datetime) -> bool:
    """Return whether a day has passed since the last pruning, and if so, record the new one. Raises OSError."""
    name = root.place(_STAMP, make=True).name
    stamp = open_private(name.name, os.O_RDWR | os.O_CREAT, name.folder)
    try:
        if now.timestamp() - os.fstat(stamp).st_mtime < _DAY:
            return False
        os.utime(stamp)
        return True
    finally:
        os.close(stamp)
