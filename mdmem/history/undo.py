"""Undo a change by a new one; later changes are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NoReturn

from mdmem.config.bundle_manifest import installed_files
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import PERSONS, AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.generated_lines import RENEWED
from mdmem.entries.model import Outcome
from mdmem.entries.tombstones import PATH
from mdmem.errors import ConflictError, TargetError
from mdmem.formats.paths import is_foreign, within_user
from mdmem.history.read import named_change, open_history, versions_around, visible
from mdmem.messages.catalog import say
from mdmem.messages.reasons import reason_in
from mdmem.store.history.versions import EDITOR, FORGET, PRUNE, Transaction, VersionStore
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document
from mdmem.text.edit import Edit, smallest
from mdmem.text.merge import merge

_REPORTS = {"night", "imports"}  # the kinds of files that only report what a run did
_BEGUN = ("session", True)  # kind of a file, and whether it is new


def undo(config: WorkspaceConfig, name: str | None, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Undo a transaction by a new one; see `Workspace.history.undo`."""
    own = "" if actor in PERSONS else actor
    with open_history(config) as history:
        target = named_change(config, history, name, "pen.no-change") if name else _last(config, history, own)
        versions_of = {one.path: versions_around(history, one) for one in target.files}
    if not target.files:
        raise TargetError(say(config.lang, "pen.nothing-to-undo"))
    if _forgets(target):
        AccessPolicy(config, actor).stop(TargetError, "pen.undo-forget", id=target.id)
    commit = ChangeRequest(config, f"undo {target.id}", actor, reason, confirm=True, whole=True, dry_run=dry_run)
    commit.undoes = target.id
    if commit.access.is_person:  # own earlier text is not new
        commit.gate.as_they_came = installed_files([one.path for one in target.files])
        commit.gate.earlier_versions = {
            path: versions[0] for path, versions in versions_of.items() if versions and versions[0]
        }
    if missing := next((path for path, versions in versions_of.items() if versions is None), None):
        _not_kept(commit, target, missing)

    def change(files: DraftFiles) -> Edits:
        there = [(path, versions) for path, versions in versions_of.items() if versions]
        return {path: _back(commit, path, *versions, files[path]) for path, versions in there}

    marked = [one for one in target.files if one.before is not None and one.was_program != one.is_program]
    try:
        commit.run(change, programs={one.path: one.was_program for one in marked})
    except ConflictError as error:
        if not name:  # the caller does not know which change is meant
            _name_another(commit, target, error, own)
        raise
    message = say(commit.lang, "pen.undone", id=target.id, reason=reason_in(commit.lang, target.reason))
    return commit.outcome(message, target.files[0].path)


def _name_another(commit: ChangeRequest, target: Transaction, error: ConflictError, actor: str) -> None:
    """Add to an error the change that it is about, and an earlier one that can be undone instead."""
    with open_history(commit.config) as history:
        others = (one for one in _undoable(commit.config, history, actor) if one.id != target.id)
        other = next((one for one in others if one.time <= target.time), None)
    if other:
        reason = reason_in(commit.lang, target.reason)
        facts = {"id": target.id, "reason": reason, "why": error.message, "next": other.id}
        error.message = say(commit.lang, "pen.undo-newest", **facts)
        error.hint = say(commit.lang, "pen.undo-newest.hint", **facts)


def _not_kept(commit: ChangeRequest, target: Transaction, path: str) -> NoReturn:
    """Raise TargetError for a change whose versions were forgotten later, or are too old."""
    with open_history(commit.config) as history:
        later = takewhile(lambda one: one.id != target.id, history.log())
        forgetting = next((one for one in later if _forgets(one)), None)
    if forgetting:
        commit.access.stop(TargetError, "pen.not-kept-forgotten", path, id=target.id, day=forgetting.time[:10])
    commit.access.stop(TargetError, "pen.not-kept", path, id=target.id)


def _forgets(transaction: Transaction) -> bool:
    """Return True for the transaction of a `forget`."""
    return transaction.reason == FORGET and any(within_user(file.path) == PATH for file in transaction.files)


def _back(
    commit: ChangeRequest, path: str, before: Document | None, after: Document | None, now: Document | None
) -> Sequence[Edit] | None:
    """Return the edits that undo a change of one file and keep later changes."""
    text = now.text if now else None
    if text == (before.text if before else None):
        return ()
    if text == (after.text if after else None):
        if before is not None and now is None and not before.text:
            return (Edit.replace(0, 0, ""),)  # an edit that makes the empty file again
        return None if before is None else smallest(text or "", before.text)
    if now is None and after is not None:  # not this change is in the way, but the loss of the file
        commit.access.stop(TargetError, "pen.undo-gone", path)
    if after is None and before is not None:  # the change moved or deleted the file, and its name is taken again
        message = say(commit.lang, "pen.undo-taken", path=path)
        hint = say(commit.lang, "pen.undo-taken.hint", path=path)
        raise ConflictError(message, hint=hint, ours=before.text, theirs=text or "")
    merged = merge(after, before, now) if before and after and now else None
    if merged is None or merged.conflicts:
        message, hint = say(commit.lang, "pen.undo-conflict", path=path), say(commit.lang, "pen.undo-conflict.hint")
        raise ConflictError(message, hint=hint, ours=before.text if before else "", theirs=text or "")
    return merged.edits


def _last(config: WorkspaceConfig, history: VersionStore, actor: str) -> Transaction:
    """Return the newest transaction that an undo without an id takes back."""
    found = next(_undoable(config, history, actor), None)
    if found is None:
        raise TargetError(say(config.lang, "pen.nothing-to-undo"))
    return found


def _undoable(config: WorkspaceConfig, history: VersionStore, actor: str) -> Iterator[Transaction]:
    """Yield the transactions that are neither undone nor an undo: of one actor, else any that mdmem made.

    What only reports a night or an import is passed over: the caller wants back what it changed. So is the beginning of
    a conversation: to undo it would be to remove what was said since. So is `init`, which writes the settings too, and
    what only shows another change, which is written anew when that one is undone.
    """
    undone: set[str] = set()
    for transaction in visible(config, history):
        if transaction.id in undone:
            continue
        own = transaction.actor == actor if actor else transaction.actor != EDITOR
        kinds = {(config.schemas.kind(one.path), one.before is None) for one in transaction.files}
        reports = transaction.actor not in PERSONS and {kind for kind, _ in kinds} <= _REPORTS
        if (
            transaction.files
            and not transaction.reason.startswith(RENEWED)
            and own
            and not reports
            and kinds != {_BEGUN}
            and not transaction.undoes
            and transaction.reason != PRUNE
            and (_forgets(transaction) or not any(is_foreign(one.path) for one in transaction.files))
        ):
            yield transaction
        undone.add(transaction.undoes)
