"""The pen: the only part that changes memory files (DESIGN section 7, laws 2 to 7).

A change locks its files, reads the base, computes its edits, checks them, keeps the versions in the history, writes the
new versions beside the files, exchanges the names, examines what was displaced, and writes the log. A save that an
editor makes in between is never overwritten: the change is computed again from what the editor saved.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from mdmem.errors import LockedError, MdmemError, UnfinishedError, UnreadableFileError, WriteError
from mdmem.formats.session import lost_turns, most_bytes
from mdmem.settings.tables import Settings
from mdmem.store import journal, locks, replace
from mdmem.store.append import AddedRecord, Make, add, pending_appends, remove_append_note, torn_tail
from mdmem.store.durable import make_new, sync
from mdmem.store.history import versions
from mdmem.store.history.known import KnownFiles
from mdmem.store.history.retention import is_due, prune
from mdmem.store.history.versions import EDITOR, Transaction, VersionStore, WrittenFile, fingerprint, new_id
from mdmem.store.journal import Journal, JournalContents, PendingChange, UnsoundEntryError
from mdmem.store.mirror import add_to_mirror, changed_since, prune_mirrors, remove_mirror, write_mirror
from mdmem.store.recovery import recover_change, remove_orphans
from mdmem.store.replace import StaleBase, Target, file_identity
from mdmem.store.root import ANY_SIZE, Root, is_program, read
from mdmem.store.transaction import (
    Change,
    DraftFiles,
    EditCheck,
    Edits,
    Expected,
    NotLocked,
    Programs,
    draft_change,
    is_saved_over,
    merge_late_save,
    write_transaction,
)
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.edit import Edit

_LATE = "a save that came while its file was being replaced"
_ASIDE = "a damaged entry of the journal, set aside"
_OLD_ENTRY = 3600  # seconds; no entry takes longer to be written
_NAME_CHARS = 80
_TORN = "half a turn that a crash left, set aside"
_LOST = "turns that a save had taken out, brought back"


class ObservedVersion(NamedTuple):
    """The log data of a version that was written without mdmem."""

    before: str | None  # digest of the version before; its own if no change is known
    keep: bool = True  # whether its text may be kept in the history
    was_program: bool = False  # whether the version before was executable


class RestoredTurns(NamedTuple):
    """Turns that a save had taken out, and that were brought back."""

    transaction: Transaction
    turns: int


class Appended(NamedTuple):
    """The result of an append."""

    size: int  # new size of the file in bytes
    torn: Transaction | None  # the change that removed half a record left by a crash; None if there was none
    back: RestoredTurns | None = None  # what a save had taken out, brought back


class Pen:
    """Changes the files of one workspace.

    A change of one file waits for the disk five times. Each wait is needed for a law (DESIGN section 3):

    1. The new version beside the file. Without it, a power cut after the exchange leaves an empty or torn file (law 4).
    2. The copy of it in the history. The copy has its own inode, so wait 1 does not make it durable. An editor may save
       over the file at once; the entry would then be in no version (law 5).
    3. The name of that copy. Without it the loss is the same, because a file without a name is gone after a power cut.
    4. The folder of the file. Without it, a power cut can revert a change that was reported to the caller (law 5), and
       the log could name a version that is not live.
    5. The line of the log. `undo` and `log` must know each change that was reported to a caller.

    The base is kept in the same way (2 and 3) if the history does not have it. A change of several files waits two more
    times, for the journal's note and for its name: they decide that all files are changed (law 4); of many files the
    waits overlap. The note of one file is not waited for: before the exchange nothing has happened, and after it the
    file itself shows the change.
    """

    def __init__(
        self, root: str, settings: Settings, check: EditCheck, now: Callable[[], dt.datetime],
        written: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        """Create a pen for one workspace.

        Args:
            root: the workspace's folder.
            settings: its settings; `[store]` holds the numbers of the pen.
            check: raises to refuse a change, before anything is written.
            now: the clock, with its time zone.
            written: called when it has changed a file.
        """
        self._path, self._settings, self._check, self._now = root, settings, check, now
        self._store, self._written = settings.store, written

    def commit(
        self,
        change: Change,
        *,
        actor: str,
        reason: str,
        expect: Mapping[str, Expected] | None = None,
        undoes: str = "",
        name: str = "",
        paths: Sequence[str] = (),
        programs: Programs | None = None,
        restore_turns: bool = True,
        any_size: bool = False,
    ) -> Transaction | None:
        """Make a change completely or not at all; return None if there was nothing to change.

        `change` may be called several times. It must depend on nothing but the documents that it asks for.

        Args:
            change: a function from documents, locked when they are asked for, to the edits of each; None removes a
                file.
            actor: who asks for the change; written to the log.
            reason: why; written to the log.
            expect: for a path, the version that the caller saw; a file that changed since is merged entry by entry.
            undoes: the id of the transaction that this one reverts.
            name: the id of this transaction, from `new_id`, if the change itself writes it down.
            paths: the files that it will ask for; they are locked together instead of one after another.
            programs: files that are executable afterwards or not, or as another one was; the others stay as they are.
            restore_turns: bring back the turns that a save took out first; see `append`.
            any_size: change also files that are larger than a memory may be.

        Raises:
            ConflictError: a file changed and both changes touch the same text; neither is overwritten.
            LockedError: another writer held a file too long, or an editor did not stop saving.
            UnreadableFileError: a path leaves the workspace or is not a regular file.
            WriteError: the system refused; the files are unchanged, unless the message says otherwise.
            MdmemError: what `check` raises to refuse the change, before anything is written.
        """
        head = Transaction(name or new_id(self._now()), "", actor, reason, (), undoes)
        locked: frozenset[str] | None = None
        first: dict[str, bool] = {}  # whether mdmem had locked a file before this change
        made: Sequence[Target] = ()
        until = time.monotonic() + self._store.lock_seconds
        while True:
            with Root(self._path) as root, self._as_write_error():
                try:
                    if locked is None:
                        self._begin(root)
                        locked = frozenset(map(root.resolve, paths))
                    with self._locked(root, locked) as known:
                        if made and is_saved_over(root, made):
                            self._written()
                            return self._log(root, made, head)
                        for path in locked if restore_turns else ():
                            self._bring_back(root, path, ANY_SIZE if any_size else 0)
                        first = {path: path in known for path in locked} | first
                        before = {path for path in locked if first[path]}
                        files = DraftFiles(root, locked, before, self._settings, expect or {}, any_size=any_size)
                        targets = draft_change(files, change(files), self._check, programs)
                        done = self._write(root, targets, head, mirror=restore_turns)
                        if done:
                            self._written()
                        return done
                except NotLocked as wanted:
                    locked = (locked or frozenset()) | {wanted.path}
                except StaleBase as stale:
                    made = stale.made or made
                    if time.monotonic() > until:
                        raise _kept_busy() from stale

    def append(self, path: str, make: Make, *, mirrored: bool = False) -> Appended:
        """Append a record to an existing file, durably. The cost does not grow with the file.

        If a crash left half a record, it is first removed, as a separate change that the history keeps. An append has
        no line in the log and no version in the history. A mirrored file is a session: after another program has
        written it, the turns that are missing at its end are brought back first, as a separate change.

        Args:
            path: the file.
            make: a function from the end of the file, as far as it reads, to the record; may be called several times.
            mirrored: keep a copy of each record; see `store/mirror.py`.

        Raises:
            LockedError: another writer held the file too long, or an editor did not stop saving.
            UnreadableFileError: the path leaves the workspace, the file is missing, or it is not a regular file.
            WriteError: the system refused, or the file is full; it is unchanged, unless the message says otherwise.
        """
        return self._extend(path, make, mirrored=mirrored)

    def bring_back(self, path: str) -> RestoredTurns | None:
        """Bring back the turns that a save took out of a session; None if none is missing. Raises as `append` does."""
        return self._extend(path, None, mirrored=True).back

    def _extend(self, path: str, make: Make | None, *, mirrored: bool) -> Appended:
        removed: Transaction | None = None
        back: RestoredTurns | None = None
        until = time.monotonic() + self._store.lock_seconds
        while True:
            with Root(self._path) as root, self._as_write_error():
                self._begin(root)
                path_in_root = root.resolve(path)
                try:
                    with self._locked(root, frozenset((path_in_root,))):
                        if torn_tail(root, path_in_root) is None:
                            back = self._bring_back(root, path_in_root) or back
                            added = self._add(root, path_in_root, make) if make else None
                            if added:
                                self._written()
                            if added and mirrored:
                                add_to_mirror(root, path_in_root, added.data, added.state)
                            return Appended(added.size if added else 0, removed, back)
                except StaleBase as stale:
                    if time.monotonic() > until:
                        raise _kept_busy() from stale
                    continue
            removed = self._remove_torn_tail(path_in_root) or removed

    def _add(self, root: Root, path: str, make: Make, most: int = 0) -> AddedRecord:
        try:
            place = root.place(path)
        except FileNotFoundError as error:
            raise UnreadableFileError("not found", path=path) from error
        most = most or self._settings.lint.max_bytes
        return add(root, place, make, max_bytes=most, stable_ms=self._store.stable_ms)

    def _bring_back(self, root: Root, path: str, most: int = 0) -> RestoredTurns | None:
        """Append again what a save took out, if another program wrote the file since the last record; log it."""
        most = most or most_bytes(self._settings, path)
        before = changed_since(root, path, most)
        if before is None:
            return None
        missing, count = lost_turns(*(one.decode("utf-8", "surrogateescape") for one in (before.known, before.data)))
        if not count:
            write_mirror(root, path, before.data, before.state)
            return None
        added = self._add(root, path, lambda _: missing.encode("utf-8", "surrogateescape"), most)
        history, now, after = VersionStore(root, self._store.lock_seconds), self._now(), before.data + added.data
        file = WrittenFile(path, history.keep(before.data), history.keep(after))
        done = Transaction(new_id(now), now.isoformat(timespec="seconds"), "mdmem", _LOST, (file,))
        history.append(done)
        write_mirror(root, path, after, added.state)
        return RestoredTurns(done, count)

    def _remove_torn_tail(self, path: str) -> Transaction | None:
        """Remove half a record that a crash left, if there is one; the history keeps both versions."""

        def change(files: DraftFiles) -> Edits:
            document = files[path]
            start = torn_tail(files.root, path)  # under the lock, so it is not the work of a living writer
            if document is None or start is None:
                return {}
            offset = len(document.to_bytes()[:start].decode("utf-8", "surrogateescape"))
            return {path: (Edit.replace(offset, len(document.text), ""),)}

        done = self.commit(change, actor="mdmem", reason=_TORN, restore_turns=False)
        with Root(self._path) as root, self._as_write_error(), locks.locked(root, [path], self._store.lock_seconds):
            remove_append_note(root, path)
        return done

    def observe(
        self,
        paths: Sequence[str],
        describe: Callable[[str, bytes | None], ObservedVersion | None],
        *,
        actor: str,
        reason: str,
    ) -> Transaction | None:
        """Keep and log the versions of files that were written without mdmem, as one line; the files are not touched.

        Args:
            paths: the files.
            describe: from a path and its bytes (None for no file) to what is logged about it; None logs nothing.
            actor: who made the change.
            reason: why it is logged.

        Raises:
            LockedError: another writer held a file too long.
            UnreadableFileError: a path leaves the workspace, is not a regular file, or is too large.
            WriteError: the system refused.
        """
        until = time.monotonic() + self._store.lock_seconds
        while True:
            with Root(self._path) as root, self._as_write_error():
                self._begin(root)
                locked = frozenset(map(root.resolve, paths))
                try:
                    with self._locked(root, locked):
                        return self._observe(root, sorted(locked), describe, Transaction("", "", actor, reason, ()))
                except StaleBase as stale:
                    if time.monotonic() > until:
                        raise _kept_busy() from stale

    def _observe(
        self,
        root: Root,
        paths: Sequence[str],
        describe: Callable[[str, bytes | None], ObservedVersion | None],
        head: Transaction,
    ) -> Transaction | None:
        versions, files = VersionStore(root, self._store.lock_seconds), list[WrittenFile]()
        for path in paths:
            try:
                version = read(root.place(path), most_bytes(self._settings, path))
            except FileNotFoundError:
                version = None
            data = version.data if version else None
            if observed := describe(path, data):
                if data is not None and observed.keep:
                    versions.keep(data)
                marks = observed.was_program, version is not None and is_program(version.stat)
                files.append(WrittenFile(path, observed.before, _digest(data), *marks))
        if not files:
            return None
        now = self._now()
        time = now.isoformat(timespec="seconds")
        done = dataclasses.replace(head, id=new_id(now), time=time, files=tuple(files))
        versions.append(done)
        self._prune(root, now)
        return done

    def prune(self) -> None:
        """Drop what the settings no longer keep from the history now, instead of once a day. Raises WriteError."""
        with Root(self._path) as root, self._as_write_error():
            self._drop_old(root, self._now())

    def _prune(self, root: Root, now: dt.datetime) -> None:
        with suppress(OSError, MdmemError):  # the change is made; pruning can wait for another day
            if is_due(root, now):
                self._drop_old(root, now)

    def _drop_old(self, root: Root, now: dt.datetime) -> None:
        lint = self._settings.lint
        known = KnownFiles(self._path, (lint.lost_ratio, lint.lost_min_bytes))
        known.refresh()
        spared = (*known.files.values(), *filter(None, known.lost.values()))
        prune(VersionStore(root, self._store.lock_seconds), self._store, now, spared)
        prune_mirrors(root, (now - dt.timedelta(days=self._store.keep_days)).timestamp())

    def recover(self) -> tuple[Transaction, ...]:
        """Complete what crashed processes left, and merge late saves; return the transactions that it wrote."""
        with Root(self._path) as root, self._as_write_error():
            contents = Journal(root).look(self._now().timestamp() - _OLD_ENTRY)
            done: list[Transaction | None] = [self._set_entry_aside(root, name) for name in contents.damaged]
            done += [self._finish(root, one) for one in contents.pending]
            remove_orphans(root, self._now())
            paths = {one.path for transaction in VersionStore(root, 0).log() for one in transaction.files}
            for path in sorted(paths):
                with locks.locked(root, [path], self._store.lock_seconds):
                    done += self._merge_late(root, path)
            begun = pending_appends(root)
        done += [self._remove_torn_tail(path) for path in begun]
        return tuple(one for one in done if one)

    def begin(self) -> None:
        """Make the state folder, with the file that makes git ignore it; every write does the same first.

        Raises:
            WriteError, UnreadableFileError: the system refused.
        """
        with Root(self._path) as root, self._as_write_error():
            self._begin(root)

    def _begin(self, root: Root) -> None:
        """Make the state folder and its folders once; the `.gitignore`, written last, shows that all are durable."""
        done = root.place(f"{STATE_FOLDER}/.gitignore", make=True)
        if file_identity(done.name) is not None:
            return
        folders = (locks.FOLDER, journal.FOLDER, versions.FOLDER, versions.OBJECTS, replace.FOLDER)
        places = [root.place(f"{folder}/_", make=True) for folder in folders]
        # a folder may have been made by a process that died before it was durable
        for place in (root.place("_"), done, *places):
            sync(place.name)
        make_new(done.name, b"*\n", done.path)

    @contextmanager
    def _locked(self, root: Root, paths: frozenset[str]) -> Iterator[set[str]]:
        """Hold the locks of the files and complete what a crash left; yield the files that mdmem had locked before.

        Raises:
            StaleBase: a crashed process had left a change, which is now completed; retry.
        """
        known = {path for path in paths if locks.was_locked(root, path)}
        with locks.locked(root, paths, self._store.lock_seconds):
            # the owner of a change locks all its files, so a note that names a locked file was left by a crash
            contents = Journal(root).look() if paths else JournalContents([], [])
            for name in contents.damaged:
                self._set_entry_aside(root, name)
            pending = next(
                (one for one in contents.pending if paths & {file.path for file in one.transaction.files}), None
            )
            if pending is None:
                for path in sorted(paths):
                    self._merge_late(root, path)
                yield known
                return
        self._finish(root, pending)
        raise StaleBase

    def _finish(self, root: Root, pending: PendingChange) -> Transaction | None:
        paths = [one.path for one in pending.transaction.files]
        with locks.locked(root, paths, self._store.lock_seconds):
            there = any(one.transaction.id == pending.transaction.id for one in Journal(root).pending())
            try:
                return recover_change(root, pending, self._store) if there else None
            except UnsoundEntryError:
                return self._set_entry_aside(
                    root, f"{pending.transaction.id}.{'decided' if pending.decided else 'begun'}"
                )

    def _set_entry_aside(self, root: Root, name: str) -> Transaction | None:
        """Move a journal entry that no pen can have written to the aside folder, and log that."""
        with suppress(FileNotFoundError):  # another process was faster
            Journal(root).set_aside(name)
            now = self._now()
            reason = f"{_ASIDE}: {journal.ASIDE}/{name[:_NAME_CHARS]}"
            done = Transaction(new_id(now), now.isoformat(timespec="seconds"), "mdmem", reason, ())
            VersionStore(root, self._store.lock_seconds).append(done)
            return done
        return None

    def _write(
        self, root: Root, targets: list[Target], head: Transaction, *, mirror: bool = True
    ) -> Transaction | None:
        if not targets:
            return None
        now = self._now()
        transaction = _with_files(head, targets, now)
        mirrored = [one for one in targets if mirror and remove_mirror(root, one.place.path)]
        write_transaction(root, transaction, targets, self._store)
        for one in mirrored:
            if one.after is not None:
                write_mirror(root, one.place.path, one.after)
        self._prune(root, now)
        return transaction

    def _log(self, root: Root, targets: Sequence[Target], head: Transaction) -> Transaction:
        """Log a change that an editor has saved."""
        transaction = _with_files(head, targets, self._now())
        VersionStore(root, self._store.lock_seconds).append(transaction)
        return transaction

    def _merge_late(self, root: Root, path: str) -> list[Transaction | None]:
        """Merge saves that an editor made into a file that had just been displaced."""
        saves = list(replace.late_saves(root, path, self._store.displaced_seconds))
        done = []
        for save in saves:
            targets = merge_late_save(root, path, save, self._store)
            done.append(self._write(root, targets, Transaction(new_id(self._now()), "", EDITOR, _LATE, ())))
            replace.keep_displaced(root, save.displaced.name, path, fingerprint(save.data))
        return done

    @contextmanager
    def _as_write_error(self) -> Iterator[None]:
        """Turn an OSError about mdmem's own folder into a WriteError; its text could name paths of the host."""
        try:
            yield
        except UnfinishedError:
            self._written()
            raise
        except OSError as error:
            raise WriteError(
                "mdmem's own folder is not usable: {reason}",
                hint="run `mdmem doctor` for details",
                facts={"reason": error.strerror},
            ) from error


def _with_files(head: Transaction, targets: Sequence[Target], now: dt.datetime) -> Transaction:
    """Return the transaction with its time, and with each file before and after."""
    files = tuple(map(_written, targets))
    return dataclasses.replace(head, time=now.isoformat(timespec="seconds"), files=files)


def _written(target: Target) -> WrittenFile:
    before, after = _digest(target.base and target.base.data), _digest(target.after)
    return WrittenFile(target.place.path, before, after, target.was_program, target.is_program)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else fingerprint(data)


def _kept_busy() -> LockedError:
    return LockedError("another program keeps saving the file", hint="nothing was changed")
