"""The pen: the one place from which memory files are changed (DESIGN section 7, laws 2 to 7).

Lock, read the base, let the change make its edits, judge them, keep the versions, write beside, exchange the names,
look at what was displaced, log. An editor that saves in between is never written over: the change is made again from
what it saved.
"""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from mdmem.errors import LockedError, UnreadableFileError, WriteError
from mdmem.formats.session import lost_turns
from mdmem.settings.tables import Settings
from mdmem.store import journal, locks, replace
from mdmem.store.append import AddedRecord, Make, add, pending_appends, remove_append_note, torn_tail
from mdmem.store.durable import make_new, sync
from mdmem.store.history import versions
from mdmem.store.history.known import KnownFiles
from mdmem.store.history.retention import is_due, prune
from mdmem.store.history.versions import EDITOR, Transaction, VersionStore, WrittenFile, fingerprint, new_id
from mdmem.store.journal import Journal, Look, PendingChange, UnsoundEntryError
from mdmem.store.mirror import (
    add_to_mirror,
    changed_since,
    prune_mirrors,
    remove_mirror,
    write_mirror,
)
from mdmem.store.recovery import recover_change, remove_orphans
from mdmem.store.replace import StaleBase, Target, file_identity
from mdmem.store.root import Root, read
from mdmem.store.transaction import (
    Change,
    DraftFiles,
    Edits,
    Judge,
    NotLocked,
    draft_change,
    merge_late_save,
    most_bytes,
    write_transaction,
)
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.document import parse
from mdmem.text.edit import Edit
from mdmem.text.merge import merge

_LATE = "a save that came while its file was being replaced"
_ASIDE = "a damaged entry of the journal, set aside"
_OLD_ENTRY = 3600  # seconds; no entry takes so long to be written
_NAME_CHARS = 80
_TORN = "half a turn that a crash left, set aside"
_LOST = "turns that a save had taken out, brought back"


class Met(NamedTuple):
    """What is to be logged of a version that somebody else wrote."""

    before: str | None  # digest of the version before it; its own where nobody knows of a change
    keep: bool = True  # whether the history may have its text


class RestoredTurns(NamedTuple):
    """Turns that a save had taken out, and that were brought back."""

    transaction: Transaction
    turns: int


class Appended(NamedTuple):
    """What an append came to."""

    size: int  # bytes of the file now
    torn: Transaction | None  # the change that took out what a crash had left; None where all was whole
    back: RestoredTurns | None = None  # what a save had taken out, brought back


class Pen:
    """Changes the files of one workspace.

    A change of one file waits for the disk five times; each wait is needed for a law (DESIGN section 3):

    1. the new version beside the file: without it a power cut after the exchange leaves an empty or torn file (law 4);
    2. the copy of it in the history: it has an inode of its own, so that 1 does not make it durable, and an editor may
       save over the file at once; the entry would then be in no version (law 5);
    3. the name of that copy: the same loss, for a file without a name is gone after a power cut;
    4. the folder of the file: without it the caller is told of a change that a power cut takes back (law 5), and the
       log could name a version that is not live;
    5. the line of the log: `undo` and `log` must know a change that its caller was told of.

    The base is kept the same way (2 and 3) where the history does not have it. A change of several files waits twice
    more, for the journal's note and for its name: they decide that all of the files are changed (law 4). A note of one
    file is not waited for: until the exchange nothing has happened, and after it the file itself tells.
    """

    def __init__(self, root: str, settings: Settings, judge: Judge, now: Callable[[], dt.datetime]) -> None:
        """Take up the pen.

        Args:
            root: the workspace's folder.
            settings: its settings; `[store]` holds the pen's own numbers.
            judge: raises to refuse a change, before anything is written.
            now: the clock, with its zone.
        """
        self._path, self._settings, self._judge, self._now = root, settings, judge, now
        self._store = settings.store

    def commit(
        self,
        change: Change,
        *,
        actor: str,
        reason: str,
        expect: Mapping[str, str | None] | None = None,
        undoes: str = "",
        name: str = "",
        paths: Sequence[str] = (),
        settle: bool = True,
    ) -> Transaction | None:
        """Make a change, whole or not at all; gives None where there was nothing to change.

        `change` may be called several times: it must depend on the documents that it asks for and on nothing else.

        Args:
            paths: the files that it is known to ask for; they are locked at once instead of one after the other.
            change: from the documents, locked as they are asked for, to the edits of each; None removes a file.
            actor: who asks for it, and `reason` why; both go into the log.
            undoes: the id of the transaction that this one takes back.
            name: the id of this one, from `new_id`, where the change itself writes it down.
            settle: first bring back the turns that a save has taken out; see `append`.
            expect: for a path the digest that the caller saw; a file that moved on since is merged entry by entry.

        Raises:
            ConflictError: the file moved on, and both changes touch the same thing; neither is written over.
            LockedError: another writer held a file too long, or an editor would not stop saving.
            UnreadableFileError: a path leaves the workspace or is no regular file.
            WriteError: the system refused; the files are as they were, unless the message says otherwise.
            MdmemError: whatever the judge refuses the change with, before anything is written.
        """
        head = Transaction(name or new_id(self._now()), "", actor, reason, (), undoes)
        held: frozenset[str] | None = None
        first: dict[str, bool] = {}  # whether mdmem knew a file before this change locked it
        made: Sequence[Target] = ()
        until = time.monotonic() + self._store.lock_seconds
        while True:
            with Root(self._path) as root, _told():
                try:
                    if held is None:
                        self._begin(root)
                        held = frozenset(map(root.resolve, paths))
                    with self._locked(root, held) as known:
                        if made and _saved_over(root, made):
                            return self._log(root, made, head)
                        for path in held if settle else ():
                            self._bring_back(root, path)
                        first = {path: path in known for path in held} | first
                        before = {path for path in held if first[path]}
                        files = DraftFiles(root, held, before, self._settings, expect or {})
                        targets = draft_change(files, change(files), self._judge)
                        return self._write(root, targets, head, mirror=settle)
                except NotLocked as wanted:
                    held = (held or frozenset()) | {wanted.path}
                except StaleBase as moved:
                    made = moved.made or made
                    if time.monotonic() > until:
                        raise LockedError("it is being saved over and over", hint="nothing was changed") from moved

    def append(self, path: str, make: Make, *, mirrored: bool = False) -> Appended:
        """Add a record to the end of a file that is there, durably; the cost does not grow with the file.

        What a crash left of a record is first taken out, as a change of its own that the history keeps. An append has
        no line in the log and no version in the history. A mirrored file is a session: after somebody else has written
        it, the turns that are missing at its end are brought back first, as a change of its own.

        Args:
            path: the file.
            make: from the end of the file, as far as it looks, to the record; may be called several times.
            mirrored: keep a copy of what is added; see `store/mirror.py`.

        Raises:
            LockedError: another writer held the file too long, or an editor would not stop saving.
            UnreadableFileError: the path leaves the workspace, there is no such file, or it is no regular file.
            WriteError: the system refused, or the file is full; it is as it was, unless the message says otherwise.
        """
        return self._extend(path, make, mirrored=mirrored)

    def bring_back(self, path: str) -> RestoredTurns | None:
        """Bring back the turns that a save has taken out of a session; None where none is missing.

        Raises:
            MdmemError: as `append` raises.
        """
        return self._extend(path, None, mirrored=True).back

    def _extend(self, path: str, make: Make | None, *, mirrored: bool) -> Appended:
        torn: Transaction | None = None
        back: RestoredTurns | None = None
        until = time.monotonic() + self._store.lock_seconds
        while True:
            with Root(self._path) as root, _told():
                self._begin(root)
                here = root.resolve(path)
                try:
                    with self._locked(root, frozenset((here,))):
                        if torn_tail(root, here) is None:
                            back = self._bring_back(root, here) or back
                            added = self._add(root, here, make) if make else None
                            if added and mirrored:
                                add_to_mirror(root, here, added.data, added.state)
                            return Appended(added.size if added else 0, torn, back)
                except StaleBase as moved:
                    if time.monotonic() > until:
                        raise LockedError("it is being saved over and over", hint="nothing was changed") from moved
                    continue
            torn = self._set_aside(here) or torn

    def _add(self, root: Root, path: str, make: Make) -> AddedRecord:
        try:
            place = root.place(path)
        except FileNotFoundError as error:
            raise UnreadableFileError("is not there", path=path) from error
        return add(root, place, make, max_bytes=self._settings.lint.max_bytes, stable_ms=self._store.stable_ms)

    def _bring_back(self, root: Root, path: str) -> RestoredTurns | None:
        """Add again what a save took out, if somebody has written the file since the last record; log it."""
        before = changed_since(root, path, self._settings.lint.max_bytes)
        if before is None:
            return None
        missing, count = lost_turns(*(one.decode("utf-8", "surrogateescape") for one in (before.known, before.data)))
        if not count:
            write_mirror(root, path, before.data, before.state)
            return None
        added = self._add(root, path, lambda _: missing.encode("utf-8", "surrogateescape"))
        history, now, after = VersionStore(root, self._store.lock_seconds), self._now(), before.data + added.data
        file = WrittenFile(path, history.keep(before.data), history.keep(after))
        done = Transaction(new_id(now), now.isoformat(timespec="seconds"), "mdmem", _LOST, (file,))
        history.append(done)
        write_mirror(root, path, after, added.state)
        return RestoredTurns(done, count)

    def _set_aside(self, path: str) -> Transaction | None:
        """Take out what a crash left of a record, if it left half of one; both versions stand in the history."""

        def change(files: DraftFiles) -> Edits:
            document = files[path]
            start = torn_tail(files.root, path)  # under the lock: a writer at work has not left it
            if document is None or start is None:
                return {}
            at = len(document.to_bytes()[:start].decode("utf-8", "surrogateescape"))
            return {path: (Edit.replace(at, len(document.text), ""),)}

        done = self.commit(change, actor="mdmem", reason=_TORN, settle=False)
        with Root(self._path) as root, _told(), locks.locked(root, [path], self._store.lock_seconds):
            remove_append_note(root, path)
        return done

    def observe(
        self, paths: Sequence[str], see: Callable[[str, bytes | None], Met | None], *, actor: str, reason: str
    ) -> Transaction | None:
        """Keep and log versions of files as somebody else left them, in one line; the files are not touched.

        Args:
            paths: the files.
            see: from a path and its bytes, None for no such file, to what is to be logged; None: nothing is.
            actor: whose change it was.
            reason: why it is logged.

        Raises:
            LockedError: another writer held a file too long.
            UnreadableFileError: a path leaves the workspace, is no regular file, or is too large.
            WriteError: the system refused.
        """
        until = time.monotonic() + self._store.lock_seconds
        while True:
            with Root(self._path) as root, _told():
                self._begin(root)
                held = frozenset(map(root.resolve, paths))
                try:
                    with self._locked(root, held):
                        return self._observe(root, sorted(held), see, Transaction("", "", actor, reason, ()))
                except StaleBase as moved:
                    if time.monotonic() > until:
                        raise LockedError("it is being saved over and over", hint="nothing was changed") from moved

    def _observe(
        self, root: Root, paths: Sequence[str], see: Callable[[str, bytes | None], Met | None], head: Transaction
    ) -> Transaction | None:
        versions, files = VersionStore(root, self._store.lock_seconds), list[WrittenFile]()
        for path in paths:
            try:
                found = read(root.place(path), most_bytes(self._settings, path))
            except FileNotFoundError:
                found = None
            data = found.data if found else None
            if met := see(path, data):
                if data is not None and met.keep:
                    versions.keep(data)
                files.append(WrittenFile(path, met.before, _digest(data)))
        if not files:
            return None
        now = self._now()
        time = now.isoformat(timespec="seconds")
        done = head._replace(id=new_id(now), time=time, files=tuple(files))
        versions.append(done)
        self._prune(root, now)
        return done

    def prune(self) -> None:
        """Drop from the history what the settings keep no longer, now and not once a day; raises WriteError."""
        with Root(self._path) as root, _told():
            self._drop_old(root, self._now())

    def _prune(self, root: Root, now: dt.datetime) -> None:
        with suppress(OSError):  # the change stands; another day will do
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
        """Finish what crashed processes left, and merge the saves that came too late; gives what it wrote."""
        with Root(self._path) as root, _told():
            found = Journal(root).look(self._now().timestamp() - _OLD_ENTRY)
            left: list[Transaction | None] = [self._lay_aside(root, name) for name in found.damaged]
            left += [self._finish(root, one) for one in found.pending]
            remove_orphans(root, self._now())
            paths = {one.path for transaction in VersionStore(root, 0).log() for one in transaction.files}
            for path in sorted(paths):
                with locks.locked(root, [path], self._store.lock_seconds):
                    left += self._merge_late(root, path)
            begun = pending_appends(root)
        left += [self._set_aside(path) for path in begun]
        return tuple(one for one in left if one)

    def begin(self) -> None:
        """Make the state folder, with the file that keeps git away from it; every write does so too.

        Raises:
            WriteError, UnreadableFileError: the system refused.
        """
        with Root(self._path) as root, _told():
            self._begin(root)

    def _begin(self, root: Root) -> None:
        """Make the state folder with all its rooms, once; the file that keeps git away says that all of it lasts."""
        done = root.place(f"{STATE_FOLDER}/.gitignore", make=True)
        if file_identity(done.name) is not None:
            return
        rooms = (locks.FOLDER, journal.FOLDER, versions.FOLDER, versions.OBJECTS, replace.FOLDER)
        places = [root.place(f"{room}/_", make=True) for room in rooms]
        # what is there may have been made by a process that died before the disk had it
        for place in (root.place("_"), done, *places):
            sync(place.name)
        make_new(done.name, b"*\n", done.path)

    @contextmanager
    def _locked(self, root: Root, held: frozenset[str]) -> Iterator[set[str]]:
        """Hold the files' locks, with nothing left undone in them; gives those that mdmem knew before.

        Raises:
            Moved: a crashed process had left something, which is finished now; begin again.
        """
        known = {path for path in held if locks.known(root, path)}
        with locks.locked(root, held, self._store.lock_seconds):
            # the owner of a change holds the locks of all its files: a note of one of ours was left by a crash
            found = Journal(root).look() if held else Look([], [])
            for name in found.damaged:
                self._lay_aside(root, name)
            left = next((one for one in found.pending if held & {file.path for file in one.transaction.files}), None)
            if left is None:
                for path in sorted(held):
                    self._merge_late(root, path)
                yield known
                return
        self._finish(root, left)
        raise StaleBase

    def _finish(self, root: Root, pending: PendingChange) -> Transaction | None:
        paths = [one.path for one in pending.transaction.files]
        with locks.locked(root, paths, self._store.lock_seconds):
            there = any(one.transaction.id == pending.transaction.id for one in Journal(root).pending())
            try:
                return recover_change(root, pending, self._store) if there else None
            except UnsoundEntryError:
                return self._lay_aside(root, f"{pending.transaction.id}.{'decided' if pending.decided else 'begun'}")

    def _lay_aside(self, root: Root, name: str) -> Transaction | None:
        """Set aside an entry of the journal that no pen can have written, and say so in the log."""
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
        transaction = _of(head, targets, now)
        mirrored = [one for one in targets if mirror and remove_mirror(root, one.place.path)]
        write_transaction(root, transaction, targets, self._store)
        for one in mirrored:
            if one.after is not None:
                write_mirror(root, one.place.path, one.after)
        self._prune(root, now)
        return transaction

    def _log(self, root: Root, targets: Sequence[Target], head: Transaction) -> Transaction:
        """Log a change that an editor has saved for us."""
        transaction = _of(head, targets, self._now())
        VersionStore(root, self._store.lock_seconds).append(transaction)
        return transaction

    def _merge_late(self, root: Root, path: str) -> list[Transaction | None]:
        """Merge the saves that an editor made into a file that had just been displaced."""
        found = list(replace.late_saves(root, path, self._store.grave_seconds))
        done = []
        for one in found:
            targets = merge_late_save(root, path, one, self._store)
            done.append(self._write(root, targets, Transaction(new_id(self._now()), "", EDITOR, _LATE, ())))
            replace.keep_displaced(root, one.grave.name, path, fingerprint(one.data))
        return done


def _of(head: Transaction, targets: Sequence[Target], now: dt.datetime) -> Transaction:
    """Fill in when a transaction was made, and what it made of each file."""
    files = tuple(
        WrittenFile(one.place.path, _digest(one.base and one.base.data), _digest(one.after)) for one in targets
    )
    return head._replace(time=now.isoformat(timespec="seconds"), files=files)


def _digest(data: bytes | None) -> str | None:
    return None if data is None else fingerprint(data)


def _saved_over(root: Root, made: Sequence[Target]) -> bool:
    """Tell whether an editor loaded a change in the moment when it was live, and has saved it with its own."""
    for one in made:
        now = read(one.place._replace(name=root.place(one.place.path).name))
        if now is None or one.base is None or one.after is None or now.data == one.base.data:
            return False
        merged = merge(parse(one.base.data), parse(one.after), parse(now.data))
        if merged.edits or merged.conflicts:
            return False
    return True


@contextmanager
def _told() -> Iterator[None]:
    """Turn what the system says of mdmem's own folder into a sentence; it may name paths of the host."""
    try:
        yield
    except OSError as error:
        raise WriteError(
            "mdmem's own folder fails: {reason}", hint="`mdmem doctor` tells more", facts={"reason": error.strerror}
        ) from error
