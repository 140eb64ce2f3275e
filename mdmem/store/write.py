"""One change, from its prepared targets to its line in the log: all of it, or nothing."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.settings.files import StoreSettings
from mdmem.errors import MdmemError, WriteError
from mdmem.store import graves
from mdmem.store.atomic import discard, sync
from mdmem.store.history import History
from mdmem.store.journal import Journal, Pending
from mdmem.store.publish import Key, Moved, Target, prepare, publish, which, withdraw
from mdmem.store.record import Transaction, fingerprint
from mdmem.store.root import Root, read


def write(root: Root, transaction: Transaction, targets: Sequence[Target], settings: StoreSettings) -> None:
    """Publish the targets under the locks that the caller holds, and log the transaction.

    Raises:
        Moved: an editor saved one of the files in between; nothing is changed.
        WriteError: the system refused; nothing is changed, unless the message says that it is written.
    """
    journal = Journal(root)
    history = History(root, settings.lock_seconds)
    reached = 0  # how many were on their way to be published
    ours: list[Key | None] = []  # which files the new versions are
    try:
        journal.begin(Pending(transaction, {one.place.path: one.temporary_path for one in targets}, decided=False))
        for one in targets:
            prepare(one)
            _keep(history, one)
        if len(targets) > 1:
            journal.decide(transaction.id)
        ours = [which(one.temporary) for one in targets]
        for one in targets:
            reached += 1
            publish(one, settings.lease_ms)
    except (Moved, OSError, WriteError) as error:
        begun = list(zip(targets[:reached], ours, strict=False))
        path = targets[max(0, reached - 1)].place.path
        if not _give_up(root, journal, transaction, begun, targets[reached:]):
            message = "could not be written, nor wholly taken back"
            raise WriteError(message, path=path, hint="`mdmem recover` finishes it or takes it back") from error
        if isinstance(error, OSError):
            message = f"could not be written: {error.strerror}"
            raise WriteError(message, path=path, hint="nothing was changed") from error
        if isinstance(error, Moved) and reached == len(targets):
            raise Moved(targets) from error
        raise
    complete(root, transaction, targets, history)
    journal.end(transaction.id)


def complete(root: Root, transaction: Transaction, targets: Sequence[Target], history: History) -> None:
    """Make the new names durable, log them, and bury what they displaced; raises WriteError."""
    try:
        _sync(targets)
        history.append(transaction)
        for one in targets:
            if one.base is not None and which(one.temporary):
                graves.bury(root, one.temporary, one.place.path, fingerprint(one.base.data))
    except (OSError, MdmemError) as error:
        raise WriteError(
            f"is written, but the disk refused to make that safe: {error.args[-1]}",
            path=targets[0].place.path,
            hint="look at the disk; `mdmem recover` then finishes it",
        ) from error


def _sync(targets: Sequence[Target]) -> None:
    for folder in {one.place.name.folder: one.place.name for one in targets}.values():
        sync(folder)


def _keep(history: History, target: Target) -> None:
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
    now = which(target.place.name)
    return now == ours if target.after is not None else now is None and which(target.temporary) is not None


def _lay_aside(root: Root, target: Target, ours: Key | None) -> None:
    """Bury what has the temporary's name: it may have been live for a moment, and somebody may have opened it."""
    held = which(target.temporary)
    if held is None:
        return
    if held == ours and target.after is not None:
        digest = fingerprint(target.after)
    else:  # an editor's save, with a later one of an editor live in its place
        version = read(target.place._replace(name=target.temporary))
        digest = History(root, 0).keep(version.data if version else b"")
    graves.bury(root, target.temporary, target.place.path, digest)
