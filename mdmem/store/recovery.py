"""Finishes what a process left that died in the middle of a change; a person's later edit stays above ours."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
from collections.abc import Sequence

from mdmem.errors import WriteError
from mdmem.settings.tables import StoreSettings
from mdmem.store import replace
from mdmem.store.durable import discard, exchange, sync
from mdmem.store.history.versions import Transaction, VersionStore, WrittenFile, fingerprint
from mdmem.store.journal import Journal, PendingChange, UnsoundEntryError, is_temporary, temporary_name
from mdmem.store.replace import Target, file_identity, prepare, publish
from mdmem.store.root import OutsideError, ResolvedPath, Root, Version, read

_EDITED = "finished after a crash; edited meanwhile and left as it was: "


def recover_change(root: Root, pending: PendingChange, settings: StoreSettings) -> Transaction | None:
    """Finish a change, or give it up, under the locks of its files; gives it where it now stands in the log.

    A decided change is finished, file by file, unless somebody edited a file since: that one stays, and ours is in the
    history. One that was not decided is complete if its one file was published, and else never happened.

    Raises:
        Moved: an editor saves one of the files at this moment.
        UnsoundEntryError: it leads out of the workspace, or the history has no such versions; nothing was changed.
        WriteError: the system refused; the note stays, and the next attempt goes on from here.
    """
    history, journal = VersionStore(root, settings.lock_seconds), Journal(root)
    transaction = pending.transaction
    _confined(root, pending)
    try:
        for one in transaction.files:  # kept by a process that may have died before the disk had them
            history.secure(one.before, one.after)
        known = any(one.id == transaction.id for one in history.log())
        edited = [] if known else _redo(root, history, pending, settings)
        for one in transaction.files:
            _clear(root, one, pending.temporaries.get(one.path, ""))
        logged = not known and _stands(root, transaction, edited)
        if logged:
            if edited:
                transaction = dataclasses.replace(
                    transaction, reason=f"{transaction.reason} ({_EDITED}{', '.join(edited)})"
                )
            history.append(transaction)
        journal.end(transaction.id)
    except OSError as error:
        raise WriteError(
            "could not be finished after a crash: {reason}",
            path=transaction.files[0].path,
            facts={"reason": error.strerror},
        ) from error
    return transaction if logged else None


def _confined(root: Root, pending: PendingChange) -> None:
    for path in (*(one.path for one in pending.transaction.files), *pending.temporaries.values()):
        try:
            root.place(path)
        except OutsideError as error:
            raise UnsoundEntryError from error
        except FileNotFoundError:
            pass


def _redo(root: Root, history: VersionStore, pending: PendingChange, settings: StoreSettings) -> list[str]:
    """Publish what a decided change has not published yet; gives the files that somebody edited since."""
    edited = []
    files = pending.transaction.files if pending.decided else ()
    if any(one.after and history.read(one.after) is None for one in files):  # a pen keeps them before it decides
        raise UnsoundEntryError
    for one in files:
        place = root.place(one.path, make=True)
        now = read(place)
        held = fingerprint(now.data) if now else None
        if held == one.after:
            continue
        if held != one.before:
            edited.append(one.path)
            continue
        _publish(root, place, now, one, history, settings)
    return edited


def _publish(
    root: Root,
    place: ResolvedPath,
    now: Version | None,
    one: WrittenFile,
    history: VersionStore,
    settings: StoreSettings,
) -> None:
    after = history.read(one.after) if one.after else None
    if one.after and after is None:
        raise WriteError("its new version is missing in the history", path=one.path, hint="`mdmem doctor` tells more")
    target = Target(place, temporary_name(place.path), now, after)
    prepare(target)
    publish(target, settings.lease_ms)
    if now is not None and file_identity(target.temporary):
        replace.keep_displaced(root, target.temporary, place.path, fingerprint(now.data))


def _stands(root: Root, transaction: Transaction, edited: Sequence[str]) -> bool:
    """Tell whether the change is in the files, and make their names durable; its process may not have come to that."""
    for one in transaction.files:
        try:
            place = root.place(one.path)
        except FileNotFoundError:
            place = None
        now = read(place) if place else None
        if (fingerprint(now.data) if now else None) != one.after and one.path not in edited:
            return False
        if place:
            sync(place.name)
    return True


def _clear(root: Root, one: WrittenFile, temporary: str) -> None:
    """Put away the temporary of a file: a version that was never live, or one that was displaced.

    A displaced one that nobody knows is an editor's save, and its process died before it could look: it goes back.
    """
    try:
        place, beside = root.place(one.path), root.place(temporary) if temporary else None
    except FileNotFoundError:
        return
    held = read(beside) if beside else None
    if held is None or beside is None:
        return
    digest, live = fingerprint(held.data), read(place)
    now = fingerprint(live.data) if live else None
    if now == one.before and digest != one.before:
        discard(beside.name)
        return
    if digest not in (one.before, one.after) and now == one.after and exchange(beside.name, place.name):
        digest = one.after or ""
    replace.keep_displaced(root, beside.name, place.path, digest)


_OLD = 3600  # seconds; no change takes so long


def remove_orphans(root: Root, now: dt.datetime) -> int:
    """Remove what is left over and old; a temporary goes into the history first, for it may hold somebody's save."""
    history, done = VersionStore(root, 0), 0
    owned = {path for pending in Journal(root).pending() for path in pending.temporaries.values()}
    for path in _strays(root.path):
        place = root.place(path)
        found = read(place)
        if path in owned or found is None or now.timestamp() - found.stat.st_mtime < _OLD:
            continue
        history.keep(found.data)
        os.unlink(place.name.name, dir_fd=place.name.folder)
        done += 1
    return done


def _strays(top: str) -> list[str]:
    found = []
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name != ".git"]
        found += [os.path.relpath(os.path.join(folder, name), top) for name in names if is_temporary(name)]
    return sorted(path.replace(os.sep, "/") for path in found)
