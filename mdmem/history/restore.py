"""Restores files that were deleted or overwritten outside mdmem, or accepts the loss."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from itertools import dropwhile
from typing import NamedTuple, NoReturn

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.gate import Gate
from mdmem.entries.kind_files import kind_of
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.errors import ConflictError, TargetError
from mdmem.formats.loss import Loss
from mdmem.history.read import matching, open_history
from mdmem.linter.masking import mask
from mdmem.linter.service import gone_sources, known_of
from mdmem.linter.sources import find_sources
from mdmem.messages.catalog import say
from mdmem.messages.reasons import reason_in
from mdmem.store.history.versions import EDITOR, Transaction, VersionStore, fingerprint
from mdmem.store.pen import ObservedVersion
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import apply_edits, smallest
from mdmem.text.merge import merge


def lost_files(config: WorkspaceConfig) -> dict[str, Loss]:
    """Return every lost file of the workspace with the kind of its loss."""
    known = known_of(config)
    found, present = dict[str, Loss](), set[str]()
    for source in find_sources(config, (), config.settings.lint) if known.files else ():
        present.add(source.path)
        if source.path in known.files and (lost := known.loss_of(source.path, source.seen)):
            found[source.path] = lost
    return found | {source.path: source.lost for source in gone_sources(config, known, present, ())}


_SHOWN = 15  # candidates that a message lists


class _Version(NamedTuple):
    """A version of a file in the history, and the change that recorded it."""

    digest: str
    change: Transaction
    is_before: bool  # the content before the change, not after it
    is_program: bool


def restore(config: WorkspaceConfig, path: str, at: str, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Restore a file; see `Workspace.restore`."""
    access = AccessPolicy(config, actor)
    path = access.reach(path)
    with open_history(config) as history:
        found = _at(config, history, path, at) if at else _last(config, history, path)
        data = history.read(found.digest) if found else None
        ruin = _ruin(history, path, found) if found and not at else None
    live = live_bytes(config, path)
    if not at and live is not None and not known_of(config).loss(path, live):
        return _not_lost(config, path, found, data, live)
    if found and data is None:
        access.stop(TargetError, "pen.not-kept", path, id=found.change.id)
    verb = f"restore {found.change.id}" if found else "restore"
    commit = ChangeRequest(config, verb, actor, reason, confirm=True, whole=True, dry_run=dry_run)
    version = parse(data or b"")
    if access.is_person:
        commit.gate.earlier_versions = {path: version}  # not new text
        commit.gate.as_they_came = frozenset((path,) if config.bundles.owner(path) else ())

    def change(files: DraftFiles) -> Edits:
        now = files[commit.path(path)]
        if found is None or (now is not None and now.text == version.text):
            return {}
        whole = _with_newer(commit, path, ruin, version, now) if ruin and now else version.text
        return {path: smallest(now.text if now else "", whole)}

    commit.run(change, programs={path: True} if found and found.is_program else {})
    if found is None or not commit.gate.steps:
        return replace(commit.outcome("", path), message=say(config.lang, "pen.not-lost", path=path))
    why = reason_in(config.lang, found.change.reason)
    facts = {"path": path, "id": found.change.id, "time": _local(found.change.time), "reason": why}
    message = say(
        config.lang, "pen.restored-before" if found.is_before else "pen.restored", actor=found.change.actor, **facts
    )
    hints = [say(config.lang, "pen.newer-kept")] if ruin else []
    hints += [] if at or found.change.actor == EDITOR else [say(config.lang, "pen.last-known")]
    return commit.outcome(message, path, *hints)


def _not_lost(config: WorkspaceConfig, path: str, found: _Version | None, data: bytes | None, live: bytes) -> Outcome:
    """Return the outcome for a file that is there: what is missing in it, and how to get that back.

    Args:
        config: of the workspace.
        path: of the file.
        found: the last known version; None if the file equals it.
        data: its content; None if it is no longer kept.
        live: the file.
    """
    there = {one.text for one in parse(live).entries}
    gone = [one.text for one in parse(data or b"").entries if one.text not in there]
    if found and gone and not found.is_before:
        facts = {"path": path, "count": len(gone), "text": mask(gone[0]), "id": found.change.id}
        message, hint = (
            say(config.lang, "pen.entries-gone", **facts),
            say(config.lang, "pen.entries-gone.hint", **facts),
        )
        return Outcome("unchanged", message, hint, path)
    message, hint = say(config.lang, "pen.not-lost", path=path), say(config.lang, "pen.not-lost.hint", path=path)
    with open_history(config) as history:
        changes = ((one, file) for one in history.log() for file in one.files if file.path == path)
        last, file = next(changes, (None, None))
    if last and file and file.before:
        facts = {"id": last.id, "reason": reason_in(config.lang, last.reason)}
        hint = say(config.lang, "punctuation.clause").join((say(config.lang, "pen.last-change", **facts), hint))
    return Outcome("unchanged", message, hint, path)


def _ruin(history: VersionStore, path: str, found: _Version) -> Document | None:
    """Return what was left of a lost file when mdmem next wrote to it; None if it has not written since."""
    newer: list[Transaction] = []
    for transaction in history.log():
        if transaction.id == found.change.id and not found.is_before:
            break
        newer.append(transaction)
        if transaction.id == found.change.id:
            break
    written = (
        file
        for transaction in reversed(newer)
        if transaction.actor != EDITOR
        for file in transaction.files
        if file.path == path
    )
    first = next(written, None)
    return parse((history.read(first.before) if first.before else b"") or b"") if first else None


def _with_newer(commit: ChangeRequest, path: str, ruin: Document, version: Document, now: Document) -> str:
    """Return a version merged with what was written since the loss.

    Raises:
        ConflictError: they cannot be merged.
    """
    template = commit.template(path, None) if not ruin.text.strip() else None
    begun = parse(template.text.encode()) if template else ruin  # a file that was gone began anew from its template
    merged = merge(begun, now, version)
    if merged.conflicts:
        merged = merge(ruin, now, version)
    if merged.conflicts:
        commit.access.stop(ConflictError, "pen.newer-conflict", path)
    return apply_edits(version.text, merged.edits)


def _changes(history: VersionStore, path: str) -> list[_Version]:
    """Return the versions of a file in the log, newest first; a removal counts as the version it removed."""
    found = []
    for transaction in history.log():
        for file in transaction.files:
            if file.path == path:
                sides = (file.after, False, file.is_program), (file.before, True, file.was_program)
                for digest, is_before, is_program in sides:
                    if digest:
                        found.append(_Version(digest, transaction, is_before=is_before, is_program=is_program))
    return found


def _last(config: WorkspaceConfig, history: VersionStore, path: str) -> _Version | None:
    """Return the last known version, else the newest; None if the file equals the last known version."""
    versions = _changes(history, path)
    if not versions:
        _stop(config, history, "pen.never-known", path)
    known, live = known_of(config).files.get(path), _live(config, path)
    if known and known == live:
        return None
    wanted = [one for one in versions if one.digest == known] or [one for one in versions if one.digest != live]
    return min(wanted, key=lambda version: version.digest == known and version.is_before, default=None)


def _at(config: WorkspaceConfig, history: VersionStore, path: str, at: str) -> _Version:
    """Return the version that a file had after a change, or at a time."""
    versions = _changes(history, path)
    if not versions:
        _stop(config, history, "pen.never-known", path)
    named = matching(config, history, at)
    if len(named) == 1:
        older = dropwhile(lambda one: one.id != named[0].id, history.log())
        known = {one.id for one in older}
        found = [one for one in versions if one.change.id in known]
    else:
        moment = _moment(at)
        if moment is None:
            message, hint = say(config.lang, "pen.no-moment", at=at), say(config.lang, "pen.no-moment.hint")
            names = tuple(dict.fromkeys(one.change.id for one in versions))[:_SHOWN]
            raise TargetError(message, hint=hint, candidates=names)
        found = [one for one in versions if dt.datetime.fromisoformat(one.change.time) <= moment]
    if found:
        return found[0]
    oldest = versions[-1]
    if not oldest.is_before:
        message, hint = (
            say(config.lang, "pen.not-yet", path=path, at=at),
            say(config.lang, "pen.not-yet.hint", path=path),
        )
        raise TargetError(message, hint=hint, candidates=(oldest.change.id,))
    return oldest


def _stop(config: WorkspaceConfig, history: VersionStore, key: str, path: str) -> NoReturn:
    paths = sorted({file.path for one in history.log() for file in one.files})
    message, hint = say(config.lang, key, path=path), say(config.lang, f"{key}.hint", path=path)
    raise TargetError(message, hint=hint, candidates=tuple(paths)[:_SHOWN])


def _moment(text: str) -> dt.datetime | None:
    """Parse a time, in the local zone if it names none; a day means its end."""
    try:
        return dt.datetime.combine(dt.date.fromisoformat(text), dt.time.max).astimezone()
    except (ValueError, OverflowError):
        pass
    try:
        return dt.datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        return None


def _live(config: WorkspaceConfig, path: str) -> str | None:
    """Return the digest of a file as it is now; None if it does not exist."""
    data = live_bytes(config, path)
    return None if data is None else fingerprint(data)


def _local(time: str) -> str:
    return dt.datetime.fromisoformat(time).astimezone().strftime("%Y-%m-%d %H:%M")


def dismiss(config: WorkspaceConfig, path: str, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Accept the losses in a file, below a folder, or of a kind; see `Workspace.dismiss`."""
    access = AccessPolicy(config, actor)
    top = path.strip("/") if path not in (".", "./") else ""
    kind = kind_of(config, top)
    lost = [
        lost_path
        for lost_path in lost_files(config)
        if not top
        or lost_path == top
        or lost_path.startswith(f"{top}/")
        or (kind and access.kind(lost_path) == kind.kind)
    ]
    if not lost:
        return Outcome("unchanged", say(config.lang, "pen.not-lost", path=path), path=path)
    for lost_path in lost:
        access.reach(lost_path)
        if access.waits(lost_path):
            access.stop(TargetError, "pen.only-user", lost_path)
    ChangeRequest(config, "dismiss", actor, reason)  # raises if the reason must not be written to the log
    names = say(config.lang, "punctuation.list").join(lost)
    message = say(config.lang, "pen.dismissed", path=names)
    if dry_run:
        return Outcome("planned", say(config.lang, "pen.planned", message=message), path=path)
    known, gate = known_of(config), Gate(access)

    def see(path: str, data: bytes | None) -> ObservedVersion | None:
        if path not in known.files or not known.loss(path, data):
            return None
        may_keep = data is None or gate.secret(path, None, parse(data)) is None
        return ObservedVersion(known.files[path], may_keep, was_program=path in known.programs)

    done = config.pen().observe(lost, see, actor=actor, reason=reason or "dismiss")
    config.cache.save(complete=False)
    hint = say(config.lang, "pen.dismissed.hint", id=done.id) if done else ""
    return Outcome("done" if done else "unchanged", message, hint, path, done)
