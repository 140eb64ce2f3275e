"""From the documents that a change asks for to the files it makes of them, nothing written yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from mdmem.errors import ConflictError, MdmemError, WriteError
from mdmem.formats.artifact import FOLDER, HEAD
from mdmem.settings.tables import Settings, StoreSettings
from mdmem.store import replace
from mdmem.store.durable import discard, sync
from mdmem.store.history.versions import Transaction, VersionStore, fingerprint
from mdmem.store.journal import Journal, PendingChange, temporary_name
from mdmem.store.replace import Key, LateSave, StaleBase, Target, file_identity, prepare, publish, withdraw
from mdmem.store.root import Root, Version, read
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.merge import merge

Edits = Mapping[str, Sequence[Edit] | None]  # path → edits of that file; None removes it
Change = Callable[["DraftFiles"], Edits]
Judge = Callable[[str, Document | None, Sequence[Edit], Document | None], None]  # raises to refuse

_LOOK_AGAIN = 0.005  # seconds
_UNKNOWN = 10  # a file that mdmem never wrote is waited for a tenth as long


class NotLocked(Exception):  # noqa: N818 - no error: the change asks for one file more
    """A change asked for a file whose lock is not held yet."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


class DraftFiles:
    """The documents of a change: each is locked, and read, when it is first asked for."""

    def __init__(
        self,
        root: Root,
        held: frozenset[str],
        known: set[str],
        settings: Settings,
        expect: Mapping[str, str | None],
    ) -> None:
        self.root, self._settings = root, settings
        self._held, self._known = held, known
        self._expect = {root.resolve(path): digest for path, digest in expect.items()}
        self.versions: dict[str, Version | None] = {}
        self._seen: dict[str, Document | None] = {}

    def __getitem__(self, path: str) -> Document | None:
        """Give the document at a path, as the caller saw it last; None where there is no such file."""
        return self.seen(self.root.resolve(path))

    def seen(self, path: str) -> Document | None:
        """Give the document that the change starts from: what is there, or what the caller expects to be there."""
        if path not in self._held:
            raise NotLocked(path)
        if path not in self._seen:
            version = self.versions[path] = self._stable(path)
            now = fingerprint(version.data) if version else None
            wanted = self._expect.get(path, now)
            data = version.data if version else None
            if wanted != now:
                data = self._version(path, wanted, data)
            self._seen[path] = None if data is None else parse(data)
        return self._seen[path]

    def _version(self, path: str, digest: str | None, now: bytes | None) -> bytes | None:
        found = VersionStore(self.root, 0).read(digest) if digest else None
        if digest and found is None:
            theirs = (now or b"").decode("utf-8", "replace")
            hint = "read it again, then make the change from what stands there"
            raise ConflictError(
                "is not what you saw, and what you saw is not known here", hint=hint, path=path, theirs=theirs
            )
        return found

    def _stable(self, path: str) -> Version | None:
        """Read a file; one that is missing or empty is looked at again, for so it is while editors save."""
        patient = path in self._known or self.root.is_set_aside(path)
        until = time.monotonic() + self._settings.store.stable_ms / 1000 / (1 if patient else _UNKNOWN)
        while True:
            try:
                version = read(self.root.place(path), most_bytes(self._settings, path))
            except FileNotFoundError:
                version = None
            if (version and version.data) or time.monotonic() > until:
                return version
            time.sleep(_LOOK_AGAIN)


def most_bytes(settings: Settings, path: str) -> int:
    """Return the bytes that a file may have: a tool's output, which only `forget` and a person change, has more."""
    own = settings.artifacts.max_bytes + HEAD if path.startswith(f"{FOLDER}/") else 0
    return max(settings.lint.max_bytes, own)


def draft_change(files: DraftFiles, edits: Edits, judge: Judge) -> list[Target]:
    """Judge the edits of each file and make its target; a file that would stay as it is has none.

    Raises:
        ConflictError: a file moved on since the caller saw it, and both changes touch the same thing.
        MdmemError: what the judge raises.
    """
    targets = []
    for named, given in sorted(edits.items()):
        path, wanted = files.root.resolve(named), given
        seen, version = files.seen(path), files.versions[path]
        now = parse(version.data) if version else None
        made = None if wanted is None else parse(_bytes(apply_edits(seen.text if seen else "", wanted)))
        if seen is not None and now is not None and made is not None and seen.text != now.text:
            wanted = _merged(path, seen, made, now)
            made = parse(_bytes(apply_edits(now.text, wanted)))
        elif (seen.text if seen else None) != (now.text if now else None):
            raise _conflict(path, made, now)
        after = None if made is None else made.to_bytes()
        if after != (version.data if version else None):
            judge(path, now, () if wanted is None else wanted, made)
            targets.append(target(files.root, path, version, after))
    return targets


def target(root: Root, path: str, base: Version | None, after: bytes | None) -> Target:
    """Make the target of a file; the folders that it needs are made."""
    place = root.place(path, make=after is not None)
    return Target(place, temporary_name(path), base, after)


def merge_late_save(root: Root, path: str, late: LateSave, settings: StoreSettings) -> list[Target]:
    """Bring home a save that came after its file had been replaced; where both touch the same thing, ours stays.

    The save is in the history either way.
    """
    history = VersionStore(root, settings.lock_seconds)
    history.keep(late.data)
    base, version = history.read(late.base), read(root.place(path))
    if base is None or version is None:
        return []
    now = parse(version.data)
    merged = merge(parse(base), parse(late.data), now)
    after = _bytes(apply_edits(now.text, merged.edits))
    return [] if merged.conflicts or after == version.data else [target(root, path, version, after)]


def _merged(path: str, seen: Document, made: Document, now: Document) -> Sequence[Edit]:
    merged = merge(seen, made, now)
    if merged.conflicts:
        raise _conflict(path, made, now)
    return merged.edits


def _conflict(path: str, made: Document | None, now: Document | None) -> ConflictError:
    return ConflictError(
        "moved on since you saw it, and both changes touch the same place",
        hint="read it again, then make the change from what stands there",
        path=path,
        ours=made.text if made else "",
        theirs=now.text if now else "",
    )


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def write_transaction(root: Root, transaction: Transaction, targets: Sequence[Target], settings: StoreSettings) -> None:
    """Publish the targets under the locks that the caller holds, and log the transaction.

    Raises:
        Moved: an editor saved one of the files in between; nothing is changed.
        WriteError: the system refused; nothing is changed, unless the message says that it is written.
    """
    journal = Journal(root)
    history = VersionStore(root, settings.lock_seconds)
    reached = 0  # how many were on their way to be published
    ours: list[Key | None] = []  # which files the new versions are
    try:
        journal.begin(
            PendingChange(transaction, {one.place.path: one.temporary_path for one in targets}, decided=False)
        )
        for one in targets:
            prepare(one)
            _keep(history, one)
        if len(targets) > 1:
            journal.decide(transaction.id)
        ours = [file_identity(one.temporary) for one in targets]
        for one in targets:
            reached += 1
            publish(one, settings.lease_ms)
    except (StaleBase, OSError, WriteError) as error:
        begun = list(zip(targets[:reached], ours, strict=False))
        path = targets[max(0, reached - 1)].place.path
        if not _give_up(root, journal, transaction, begun, targets[reached:]):
            message = "could not be written, nor wholly taken back"
            raise WriteError(message, path=path, hint="`mdmem recover` finishes it or takes it back") from error
        if isinstance(error, OSError):
            facts = {"reason": error.strerror}
            raise WriteError(
                "could not be written: {reason}", path=path, hint="nothing was changed", facts=facts
            ) from error
        if isinstance(error, StaleBase) and reached == len(targets):
            raise StaleBase(targets) from error
        raise
    complete_transaction(root, transaction, targets, history)
    journal.end(transaction.id)


def complete_transaction(
    root: Root, transaction: Transaction, targets: Sequence[Target], history: VersionStore
) -> None:
    """Make the new names durable, log them, and bury what they displaced; raises WriteError."""
    try:
        _sync(targets)
        history.append(transaction)
        for one in targets:
            if one.base is not None and file_identity(one.temporary):
                replace.keep_displaced(root, one.temporary, one.place.path, fingerprint(one.base.data))
    except (OSError, MdmemError) as error:
        raise WriteError(
            "is written, but the disk refused to make that safe: {reason}",
            path=targets[0].place.path,
            hint="look at the disk; `mdmem recover` then finishes it",
            facts={"reason": error.args[-1]},
        ) from error


def _sync(targets: Sequence[Target]) -> None:
    for folder in {one.place.name.folder: one.place.name for one in targets}.values():
        sync(folder)


def _keep(history: VersionStore, target: Target) -> None:
    for data in (target.base and target.base.data, target.after):
        if data is not None:
            history.keep(data)


def _give_up(
    root: Root,
    journal: Journal,
    transaction: Transaction,
    begun: Sequence[tuple[Target, Key | None]],
    others: Sequence[Target],
) -> bool:
    """Take back what was published; where that is refused, the note stays, so that the next who comes can."""
    try:
        for one, ours in reversed(begun):
            if _is_live(one, ours):
                withdraw(one, ours)
        _sync([one for one, _ in begun])  # before the note goes: a power cut brings back neither or both
        for one, ours in begun:
            _lay_aside(root, one, ours)
        for one in others:
            discard(one.temporary)
        journal.give_up(transaction.id)
    except (OSError, MdmemError):
        return False
    return True


def _is_live(target: Target, ours: Key | None) -> bool:
    """Tell whether a file is as the change wanted it."""
    now = file_identity(target.place.name)
    return now == ours if target.after is not None else now is None and file_identity(target.temporary) is not None


def _lay_aside(root: Root, target: Target, ours: Key | None) -> None:
    """Bury what has the temporary's name: it may have been live for a moment, and somebody may have opened it."""
    held = file_identity(target.temporary)
    if held is None:
        return
    if held == ours and target.after is not None:
        digest = fingerprint(target.after)
    else:  # an editor's save, with a later one of an editor live in its place
        version = read(target.place._replace(name=target.temporary))
        digest = VersionStore(root, 0).keep(version.data if version else b"")
    replace.keep_displaced(root, target.temporary, target.place.path, digest)
