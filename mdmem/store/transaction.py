"""Computes the new versions of a change, merges or refuses what others saved meanwhile, and writes them."""

# The merge is imported when somebody else has saved meanwhile.
from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mdmem.errors import ConflictError, MdmemError, UnfinishedError, UnreadableFileError, WriteError
from mdmem.formats.session import most_bytes
from mdmem.settings.tables import Settings, StoreSettings
from mdmem.store import replace
from mdmem.store.durable import discard, overlapped, sync
from mdmem.store.history.versions import Transaction, VersionStore, fingerprint
from mdmem.store.journal import Journal, PendingChange, temporary_name
from mdmem.store.replace import Key, LateSave, StaleBase, Target, file_identity, prepare, publish, withdraw
from mdmem.store.root import ANY_SIZE, Root, Version, is_program, read
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.encodings import refusal
from mdmem.text.pattern import pattern

Edits = Mapping[str, Sequence[Edit] | None]  # path → edits of that file; None removes it
Change = Callable[["DraftFiles"], Edits]
Programs = Mapping[str, bool | str]  # path → whether it is executable afterwards; or the file whose mark it takes
# raises an MdmemError to refuse the edits
EditCheck = Callable[[str, Document | None, Sequence[Edit], Document | None], None]

_UNDECODED = pattern("[\udc80-\udcff\\0]")  # bytes that are not UTF-8, as `Document.text` keeps them, and NUL
_RETRY = 0.005  # seconds
_UNKNOWN = 10  # mdmem waits a tenth as long for a file that it never wrote


Expected: TypeAlias = str | bytes | None  # of a file that was read: its digest, or its bytes; None for no file


class NotLocked(Exception):  # noqa: N818 - no error: the change asks for one more file
    """A change asked for a file whose lock is not held yet."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class DraftFiles:
    """The documents of a change; each is locked and read when it is first asked for."""

    def __init__(
        self,
        root: Root,
        locked: frozenset[str],
        known: set[str],
        settings: Settings,
        expect: Mapping[str, Expected],
        planned: Mapping[str, Document | None] | None = None,
        *,
        any_size: bool = False,
    ) -> None:
        """Bind to a change.

        `planned` are documents as earlier changes of the same dry run would leave them; with `any_size` the files
        may be larger than the settings allow.
        """
        self.root, self._settings, self._any_size = root, settings, any_size
        self._locked, self._known = locked, known
        self._expect = {root.resolve(path): version for path, version in expect.items()}
        self.versions: dict[str, Version | None] = {}
        self._missed: dict[str, float] = {}
        self._seen: dict[str, Document | None] = dict(planned or {})

    def __getitem__(self, path: str) -> Document | None:
        """Return the document at a path, as the caller saw it last; None if there is no such file."""
        return self.seen(self.root.resolve(path))

    def seen(self, path: str) -> Document | None:
        """Return the document from which the change starts: the live one, or the one that the caller expects."""
        if path not in self._locked:
            raise NotLocked(path)
        if path not in self._seen:
            version = self.versions[path] = self._stable(path)
            now = fingerprint(version.data) if version else None
            wanted = self._expect.get(path, now)
            data = version.data if version else None
            if isinstance(wanted, bytes):
                data = wanted
            elif wanted != now:
                data = self._version(path, wanted, data)
            self._seen[path] = None if data is None else parse(data)
        return self._seen[path]

    def unread(self) -> UnreadableFileError | None:
        """Return the error of a file in another encoding among those asked for: nothing is found in it."""
        known = ((path, document) for path, document in sorted(self._seen.items()) if document)
        return next(filter(None, (refusal(path, document.to_bytes()) for path, document in known)), None)

    def refuse_encoding(self, path: str, version: Version, made: Document) -> None:
        """Refuse to extend a file in another encoding; a forget, which removes bytes, may change it."""
        if self._any_size or not _UNDECODED.search(made.text):
            return
        if error := refusal(path, version.data):
            raise error

    def live(self, path: str) -> Document | None:
        """Return the document as it is now, whatever version the change starts from."""
        seen, version = self[path], self.versions.get(self.root.resolve(path))
        return parse(version.data) if version and seen and version.data != seen.to_bytes() else seen

    def is_program(self, path: str) -> bool | None:
        """Return True for a file of the change that is executable, and None for another, which gets no mark."""
        version = self.versions.get(self.root.resolve(path))
        return True if version and is_program(version.stat) else None

    def _version(self, path: str, digest: str | None, now: bytes | None) -> bytes | None:
        version = VersionStore(self.root, 0).read(digest) if digest else None
        if digest and version is None:
            theirs = (now or b"").decode("utf-8", "replace")
            hint = "read it again, then repeat the change on the current text"
            raise ConflictError(
                "differs from the version you read, and that version is not in the history",
                hint=hint,
                path=path,
                theirs=theirs,
            )
        return version

    def _stable(self, path: str) -> Version | None:
        """Read a file; retry while it is missing or empty, because editors save in several steps."""
        patient = path in self._known or self.root.is_set_aside(path)
        wait = self._settings.store.stable_ms / 1000 / (1 if patient else _UNKNOWN)
        most = ANY_SIZE if self._any_size else most_bytes(self._settings, path)
        while True:
            try:
                version = read(self.root.place(path), most)
            except FileNotFoundError:
                version = None
            if (version and version.data) or time.monotonic() > self._missed_since(path) + wait:
                return version
            time.sleep(_RETRY)

    def _missed_since(self, path: str) -> float:
        """Return since when a file is missing or empty, so that a change of many new files waits once for all."""
        if not self._missed:
            missed = [one for one in self._locked if self._is_missed(one)]
            self._missed = dict.fromkeys(missed, time.monotonic())
        return self._missed.setdefault(path, time.monotonic())

    def _is_missed(self, path: str) -> bool:
        try:
            name = self.root.place(path).name
            return os.stat(name.name, dir_fd=name.folder).st_size == 0
        except FileNotFoundError:
            return True


def draft_change(files: DraftFiles, edits: Edits, check: EditCheck, programs: Programs | None = None) -> list[Target]:
    """Check the edits of each file and return its target; a file that would not change has none.

    `programs` tells of files whether they are executable afterwards; the others stay as they are.

    Raises:
        ConflictError: a file changed since the caller saw it, and both changes touch the same text.
        MdmemError: what `check` raises.
    """
    targets = []
    marks = {one: files.is_program(mark) if isinstance(mark, str) else mark for one, mark in (programs or {}).items()}
    for named in sorted({*edits, *marks}):
        path, wanted, mark = files.root.resolve(named), edits.get(named, ()), marks.get(named)
        seen, version = files.seen(path), files.versions[path]
        if version is None and named not in edits:
            continue
        now = parse(version.data) if version else None
        made = None if wanted is None else parse(_bytes(apply_edits(seen.text if seen else "", wanted)))
        if seen is not None and now is not None and made is not None and seen.text != now.text:
            wanted = _merged(path, seen, made, now)
            made = parse(_bytes(apply_edits(now.text, wanted)))
        elif (seen.text if seen else None) != (now.text if now else None):
            raise _conflict(path, made, now, _new_lines(seen, now))
        if version is not None and made is not None and wanted:
            files.refuse_encoding(path, version, made)
        after = None if made is None else made.to_bytes()
        is_marked = after is None or version is None or mark in (None, is_program(version.stat))
        if after != (version.data if version else None) or not is_marked:
            check(path, now, () if wanted is None else wanted, made)
            targets.append(new_target(files.root, path, version, after, program=mark))
    return targets


def new_target(
    root: Root, path: str, base: Version | None, after: bytes | None, *, program: bool | None = None
) -> Target:
    """Return the target of a file, and make the folders that it needs."""
    place = root.place(path, make=after is not None)
    return Target(place, temporary_name(path), base, after, program)


def merge_late_save(root: Root, path: str, late: LateSave, settings: StoreSettings) -> list[Target]:
    """Merge a save that came after its file was replaced; if both touch the same text, the live version stays.

    The history keeps the save in both cases.
    """
    from mdmem.text.merge import merge

    history = VersionStore(root, settings.lock_seconds)
    history.keep(late.data)
    base, version = history.read(late.base), read(root.place(path))
    if base is None or version is None:
        return []
    now = parse(version.data)
    merged = merge(parse(base), parse(late.data), now)
    after = _bytes(apply_edits(now.text, merged.edits))
    return [] if merged.conflicts or after == version.data else [new_target(root, path, version, after)]


def is_saved_over(root: Root, made: Sequence[Target]) -> bool:
    """Return whether an editor loaded the change while it was live, and saved it together with its own."""
    from mdmem.text.merge import merge

    for target in made:
        now = read(target.place._replace(name=root.place(target.place.path).name))
        if now is None or target.base is None or target.after is None or now.data == target.base.data:
            return False
        merged = merge(parse(target.base.data), parse(target.after), parse(now.data))
        if merged.edits or merged.conflicts:
            return False
    return True


def _merged(path: str, seen: Document, made: Document, now: Document) -> Sequence[Edit]:
    from mdmem.text.merge import merge

    merged = merge(seen, made, now)
    if merged.conflicts:
        raise _conflict(path, made, now, [(one.line, one.theirs) for one in merged.conflicts])
    return merged.edits


def _new_lines(seen: Document | None, now: Document | None) -> list[tuple[int, str]]:
    """Return the lines that a file has got since it was seen, with their numbers."""
    known = {line.strip() for line in seen.text.splitlines()} if seen else set()
    lines = enumerate(now.text.splitlines(), start=1) if now else ()
    return [(number, line) for number, line in lines if line.strip() and line.strip() not in known]


def _conflict(
    path: str, made: Document | None, now: Document | None, places: Sequence[tuple[int, str]]
) -> ConflictError:
    return ConflictError(
        "changed since you read it, and both changes affect the same text",
        hint="read it again, then repeat the change on the current text",
        path=path,
        ours=made.text if made else "",
        theirs=now.text if now else "",
        places=places,
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def write_transaction(root: Root, transaction: Transaction, targets: Sequence[Target], settings: StoreSettings) -> None:
    """Publish the targets under the locks that the caller holds, and log the transaction.

    Raises:
        StaleBase: an editor saved one of the files in between; nothing is changed.
        UnfinishedError: the system refused what follows the change, or its withdrawal.
        UnreadableFileError, WriteError: the system refused; nothing is changed.
    """
    journal = Journal(root)
    history = VersionStore(root, settings.lock_seconds)
    reached = 0  # number of targets whose publishing has begun
    path = targets[0].place.path  # of the file that is being written
    identities: list[Key | None] = []  # identities of the new versions
    try:
        journal.begin(
            PendingChange(transaction, {target.place.path: target.temporary_path for target in targets}, decided=False)
        )
        overlapped(_prepare, targets)
        _keep(history, targets)
        if len(targets) > 1:
            journal.decide(transaction.id)
        identities = [file_identity(target.temporary) for target in targets]
        for target in targets:
            reached, path = reached + 1, target.place.path
            publish(target, settings.lease_ms)
    except (StaleBase, OSError, UnreadableFileError, WriteError) as error:
        begun = list(zip(targets[:reached], identities, strict=False))
        if not _give_up(root, journal, transaction, begun, targets[reached:]):
            message = "could not be written, and not fully undone"
            raise UnfinishedError(message, path=path, hint="`mdmem recover` completes or undoes it") from error
        if isinstance(error, OSError):
            raise _refused(path, error) from error
        if isinstance(error, StaleBase) and reached == len(targets):
            raise StaleBase(targets) from error
        raise
    complete_transaction(root, transaction, targets, history)
    journal.end(transaction.id)


def _prepare(target: Target) -> None:
    try:
        prepare(target)
    except OSError as error:
        raise _refused(target.place.path, error) from error


def _refused(path: str, error: OSError) -> WriteError:
    facts = {"reason": error.strerror}
    return WriteError("could not be written: {reason}", path=path, hint="nothing was changed", facts=facts)


def complete_transaction(
    root: Root, transaction: Transaction, targets: Sequence[Target], history: VersionStore
) -> None:
    """Make the new names durable, log them, and keep the displaced files. Raises UnfinishedError."""
    try:
        _sync(targets)
        history.append(transaction)
        for target in targets:
            if target.base is not None and file_identity(target.temporary):
                replace.keep_displaced(root, target.temporary, target.place.path, fingerprint(target.base.data))
    except (OSError, MdmemError) as error:
        raise UnfinishedError(
            "written, but not synced to disk: {reason}",
            path=targets[0].place.path,
            hint="check the disk, then run `mdmem recover`",
            facts={"reason": error.args[-1]},
        ) from error


def _sync(targets: Sequence[Target]) -> None:
    folders = {one.place.name.folder: one.place.name for one in targets}
    overlapped(sync, list(folders.values()))


def _keep(history: VersionStore, targets: Sequence[Target]) -> None:
    bases = (target.base.data for target in targets if target.base)
    history.keep_all([*bases, *(target.after for target in targets if target.after is not None)])


def _give_up(
    root: Root,
    journal: Journal,
    transaction: Transaction,
    begun: Sequence[tuple[Target, Key | None]],
    others: Sequence[Target],
) -> bool:
    """Undo what was published; if that is refused, the note stays, so that a recovery can do it."""
    try:
        for target, identity in reversed(begun):
            if _is_live(target, identity):
                withdraw(target, identity)
        # before the note is removed, so that a power cut restores neither or both
        _sync([target for target, _ in begun])
        for target, identity in begun:
            _keep_temporary(root, target, identity)
        for target in others:
            discard(target.temporary)
        journal.give_up(transaction.id)
    except (OSError, MdmemError):
        return False
    return True


def _is_live(target: Target, identity: Key | None) -> bool:
    """Return whether a file is as the change wanted it."""
    now = file_identity(target.place.name)
    return now == identity if target.after is not None else now is None and file_identity(target.temporary) is not None


def _keep_temporary(root: Root, target: Target, identity: Key | None) -> None:
    """Keep the file with the temporary name: it may have been live for a moment, and be open in an editor."""
    current = file_identity(target.temporary)
    if current is None:
        return
    if current == identity and target.after is not None:
        digest = fingerprint(target.after)
    else:  # the save of an editor, and a later one is live
        version = read(target.place._replace(name=target.temporary))
        digest = VersionStore(root, 0).keep(version.data if version else b"")
    replace.keep_displaced(root, target.temporary, target.place.path, digest)
