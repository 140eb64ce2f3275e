"""What was written, by whom and why; what a change did; and taking it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice

from mdmem.core.document import Document, parse
from mdmem.core.edit import Edit, smallest
from mdmem.core.merge import merge
from mdmem.errors import ConflictError, TargetError
from mdmem.store.draft import Edits, Files
from mdmem.store.history import History
from mdmem.store.record import EDITOR, PRUNE, Transaction, Written
from mdmem.store.root import Root, read
from mdmem.workspace.access import PERSONS
from mdmem.workspace.commit import Commit
from mdmem.workspace.config import Config
from mdmem.workspace.outcome import Outcome, diff
from mdmem.workspace.words import say

_SHOWN = 15  # candidates that a message lists


@contextmanager
def opened(config: Config) -> Iterator[History]:
    """Open the history of a workspace for reading."""
    with Root(config.root) as root:
        yield History(root, config.settings.store.lock_seconds)


def log(config: Config, path: str | None, limit: int | None) -> tuple[Transaction, ...]:
    """Give the changes, newest first; see `Workspace.log`."""
    with opened(config) as history:
        found = (one for one in history.log() if path is None or _concerns(one, path))
        return tuple(islice(found, limit))


def _concerns(one: Transaction, path: str) -> bool:
    """Tell whether a transaction changed a file, or says why it was left as it is."""
    return any(file.path == path for file in one.files) or (not one.files and path in one.reason)


def show_diff(config: Config, name: str | None) -> str:
    """Give what a transaction did, or what happened to a file since mdmem wrote it; see `Workspace.diff`."""
    with opened(config) as history:
        if name is None or not matching(history, name):
            return _since(config, history, name)
        kept = {one.path: _both(history, one) for one in _named(config, history, name).files}
    there = {path: versions for path, versions in kept.items() if versions}  # what is gone, nobody can show
    return diff(
        {path: before for path, (before, _) in there.items()}, {path: after for path, (_, after) in there.items()}
    )


def undo(config: Config, name: str | None, *, actor: str, reason: str, dry_run: bool) -> Outcome:
    """Take a transaction back by another one; see `Workspace.undo`."""
    own = "" if actor in PERSONS else actor
    with opened(config) as history:
        target = _named(config, history, name) if name else _last(config, history, own)
        kept = {one.path: _both(history, one) for one in target.files}
    if not target.files:
        raise TargetError(say(config.lang, "nothing-to-undo"))
    commit = Commit(config, f"undo {target.id}", actor, reason, confirm=True, whole=True, dry_run=dry_run)
    commit.undoes = target.id
    if commit.access.is_person:  # what the history has stood there before: a person's own text comes back as it was
        commit.gate.stood = {path: versions[0] for path, versions in kept.items() if versions and versions[0]}
    if gone := next((path for path, versions in kept.items() if versions is None), None):
        commit.access.stop(TargetError, "not-kept", gone, id=target.id)

    def change(files: Files) -> Edits:
        there = [(path, versions) for path, versions in kept.items() if versions]
        return {path: _back(commit, path, *versions, files[path]) for path, versions in there}

    commit.run(change)
    message = say(commit.lang, "undone", id=target.id, reason=target.reason)
    return commit.outcome(message, target.files[0].path)


def _back(
    commit: Commit, path: str, before: Document | None, after: Document | None, now: Document | None
) -> Sequence[Edit] | None:
    """Give the edits that take a file back; what was written since stays."""
    text = now.text if now else None
    if text == (before.text if before else None):
        return ()
    if text == (after.text if after else None):
        return None if before is None else smallest(text or "", before.text)
    merged = merge(after, before, now) if before and after and now else None
    if merged is None or merged.conflicts:
        message, hint = say(commit.lang, "undo-conflict", path=path), say(commit.lang, "undo-conflict.hint")
        raise ConflictError(message, hint=hint, ours=before.text if before else "", theirs=text or "")
    return merged.edits


def _last(config: Config, history: History, actor: str) -> Transaction:
    """Find the newest transaction that stands, neither taken back nor a taking back: of one actor, else of mdmem's."""
    gone: set[str] = set()
    for one in history.log():
        if one.id in gone:
            continue
        own = one.actor == actor if actor else one.actor != EDITOR
        if one.files and not one.undoes and one.reason != PRUNE and own:
            return one
        gone.add(one.undoes)
    raise TargetError(say(config.lang, "nothing-to-undo"))


def _named(config: Config, history: History, name: str) -> Transaction:
    found = matching(history, name)
    if len(found) == 1:
        return found[0]
    candidates = tuple(one.id for one in (found or history.log()))[:_SHOWN]
    message, hint = say(config.lang, "no-transaction", id=name), say(config.lang, "no-transaction.hint")
    raise TargetError(message, hint=hint, candidates=candidates)


def matching(history: History, name: str) -> list[Transaction]:
    """Find the transactions whose id begins with a name, or whose last part is it."""
    return [one for one in history.log() if one.id.startswith(name) or one.id.endswith(f"-{name}")]


def _since(config: Config, history: History, path: str | None) -> str:
    """Give what changed in files since mdmem wrote them last."""
    last: dict[str, Written] = {}
    for transaction in history.log():
        for one in transaction.files:
            last.setdefault(one.path, one)
    if path is not None and path not in last:
        message, hint = say(config.lang, "no-transaction", id=path), say(config.lang, "no-transaction.hint")
        raise TargetError(message, hint=hint, candidates=tuple(sorted(last))[:_SHOWN])
    wanted = {path: last[path]} if path is not None else last
    before = {name: _version(history, one.after) for name, one in wanted.items()}
    return diff(before, {name: _live(config, name) for name in wanted})


def _live(config: Config, path: str) -> Document | None:
    with Root(config.root) as root:
        try:
            version = read(root.place(path))
        except FileNotFoundError:
            return None
    return parse(version.data) if version else None


def _both(history: History, one: Written) -> tuple[Document | None, Document | None] | None:
    """Give a file before and after; None where a version is no longer kept."""
    before, after = _version(history, one.before), _version(history, one.after)
    return None if (one.before and before is None) or (one.after and after is None) else (before, after)


def _version(history: History, digest: str | None) -> Document | None:
    data = history.read(digest) if digest else None
    return None if data is None else parse(data)
