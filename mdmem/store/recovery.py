"""Recovery: completes or undoes changes that a dead process left. Later edits of a person are kept."""

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
from mdmem.store.root import OutsideError, ResolvedPath, Root, Version, is_program, read

_EDITED = "finished after a crash; edited meanwhile and left as it was: "


def recover_change(root: Root, pending: PendingChange, settings: StoreSettings) -> Transaction | None:
    """Complete a change or give it up, under the locks of its files; return it if it was logged now.

    A decided change is completed file by file. A file that was edited since stays as it is, and the new version is only
    in the history. A change that was not decided is complete if its one file was published; otherwise it never
    happened.

    Raises:
        StaleBase: an editor saves one of the files at this moment.
        UnsoundEntryError: the entry leads out of the workspace, or the history lacks its versions; nothing was changed.
        WriteError: the system refused; the note stays, and the next attempt continues from here.
    """
    history, journal = VersionStore(root, settings.lock_seconds), Journal(root)
    transaction = pending.transaction
    _confined(root, pending)
    try:
        for file in transaction.files:  # the process may have died before these versions were durable
            history.secure(file.before, file.after)
        known = any(file.id == transaction.id for file in history.log())
        edited = [] if known else _redo(root, history, pending, settings)
        for file in transaction.files:
            _clear(root, file, pending.temporaries.get(file.path, ""))
        logged = not known and _is_published(root, transaction, edited)
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
    for path in (*(file.path for file in pending.transaction.files), *pending.temporaries.values()):
        try:
            root.place(path)
        except OutsideError as error:
            raise UnsoundEntryError from error
        except FileNotFoundError:
            pass


def _redo(root: Root, history: VersionStore, pending: PendingChange, settings: StoreSettings) -> list[str]:
    """Publish what a decided change has not published yet; return the files that were edited since."""
    edited = []
    files = pending.transaction.files if pending.decided else ()
    # a pen keeps all versions before it decides
    if any(file.after and history.read(file.after) is None for file in files):
        raise UnsoundEntryError
    for file in files:
        place = root.place(file.path, make=True)
        now = read(place)
        digest = fingerprint(now.data) if now else None
        if _is_done(now, file):
            continue
        if digest != file.before:
            edited.append(file.path)
            continue
        _publish(root, place, now, file, history, settings)
    return edited


def _publish(
    root: Root,
    place: ResolvedPath,
    now: Version | None,
    file: WrittenFile,
    history: VersionStore,
    settings: StoreSettings,
) -> None:
    after = history.read(file.after) if file.after else None
    if file.after and after is None:
        raise WriteError(
            "its new version is missing from the history", path=file.path, hint="run `mdmem doctor` for details"
        )
    program = file.is_program if file.is_program != file.was_program else None
    target = Target(place, temporary_name(place.path), now, after, program)
    prepare(target)
    publish(target, settings.lease_ms)
    if now is not None and file_identity(target.temporary):
        replace.keep_displaced(root, target.temporary, place.path, fingerprint(now.data))


def _is_done(now: Version | None, file: WrittenFile) -> bool:
    """Return whether a file is as the change leaves it; where the bytes stay, the mark of a program tells."""
    if (fingerprint(now.data) if now else None) != file.after:
        return False
    return now is None or file.before != file.after or is_program(now.stat) == file.is_program


def _is_published(root: Root, transaction: Transaction, edited: Sequence[str]) -> bool:
    """Return whether the files contain the change, and make their names durable; the dead process may not have."""
    for file in transaction.files:
        try:
            place = root.place(file.path)
        except FileNotFoundError:
            place = None
        now = read(place) if place else None
        if not _is_done(now, file) and file.path not in edited:
            return False
        if place:
            sync(place.name)
    return True


def _clear(root: Root, file: WrittenFile, temporary: str) -> None:
    """Remove the temporary file of a file: a version that was never live, or one that was displaced.

    A displaced version that is not known is the save of an editor, whose process died before it looked; it is restored.
    """
    try:
        place, beside = root.place(file.path), root.place(temporary) if temporary else None
    except FileNotFoundError:
        return
    version = read(beside) if beside else None
    if version is None or beside is None:
        return
    digest, live = fingerprint(version.data), read(place)
    now = fingerprint(live.data) if live else None
    if now == file.before and digest != file.before:
        discard(beside.name)
        return
    if digest not in (file.before, file.after) and now == file.after and exchange(beside.name, place.name):
        digest = file.after or ""
    replace.keep_displaced(root, beside.name, place.path, digest)


_OLD = 3600  # seconds; no change takes longer


def remove_orphans(root: Root, now: dt.datetime) -> int:
    """Remove old temporary files; each is first kept in the history, because it may hold the save of an editor."""
    history, done = VersionStore(root, 0), 0
    owned = {path for pending in Journal(root).pending() for path in pending.temporaries.values()}
    for path in _strays(root.path):
        place = root.place(path)
        version = read(place)
        if path in owned or version is None or now.timestamp() - version.stat.st_mtime < _OLD:
            continue
        history.keep(version.data)
        os.unlink(place.name.name, dir_fd=place.name.folder)
        done += 1
    return done


def _strays(top: str) -> list[str]:
    paths = []
    for folder, inner, names in os.walk(top):
        inner[:] = [name for name in inner if name != ".git"]
        paths += [os.path.relpath(os.path.join(folder, name), top) for name in names if is_temporary(name)]
    return sorted(path.replace(os.sep, "/") for path in paths)
