"""Read the history: the changes that a user may see, those that a name means, and what they did."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.model import diff
from mdmem.entries.read import live_bytes
from mdmem.errors import TargetError
from mdmem.messages.catalog import say
from mdmem.store.history.versions import Transaction, VersionStore, WrittenFile
from mdmem.store.root import Root
from mdmem.text.document import Document, parse

_SHOWN = 15  # candidates that a message lists


@contextmanager
def open_history(config: WorkspaceConfig) -> Iterator[VersionStore]:
    """Open the history of a workspace for reading."""
    with Root(config.root) as root:
        yield VersionStore(root, config.settings.store.lock_seconds)


def log(config: WorkspaceConfig, path: str | None, limit: int | None) -> tuple[Transaction, ...]:
    """Return the changes, newest first; see `Workspace.history.log`."""
    with open_history(config) as history:
        found = (one for one in visible(config, history) if path is None or _concerns(one, path))
        return tuple(islice(found, limit))


def visible(config: WorkspaceConfig, history: VersionStore) -> Iterator[Transaction]:
    """Yield the changes that a user may see, newest first: none that changed a file of another user."""
    covers = config.whose.covers
    for one in history.log():
        if all(covers(file.path) for file in one.files) and (one.files or not config.user):
            yield one


def _concerns(transaction: Transaction, path: str) -> bool:
    """Return whether a transaction changed a file, or explains why it left the file unchanged."""
    return any(file.path == path for file in transaction.files) or (
        not transaction.files and path in transaction.reason
    )


def show_diff(config: WorkspaceConfig, name: str | None) -> str:
    """Return the diff of a transaction, or of files since mdmem wrote them; see `Workspace.history.diff`."""
    with open_history(config) as history:
        if name is None or not matching(config, history, name):
            return _since(config, history, name)
        versions_of = {one.path: versions_around(history, one) for one in named_change(config, history, name).files}
    available = {path: versions for path, versions in versions_of.items() if versions}  # the others are no longer kept
    return diff(
        {path: before for path, (before, _) in available.items()},
        {path: after for path, (_, after) in available.items()},
    )


def named_change(config: WorkspaceConfig, history: VersionStore, name: str, unknown: str = "") -> Transaction:
    """Return the transaction of an id, or of a part of it that only it has; `unknown` says that there is none."""
    found = matching(config, history, name)
    if len(found) == 1:
        return found[0]
    paths = [] if found else [file.path for change in visible(config, history) for file in change.files]
    if path := next((one for one in paths if name in (one, config.schemas.kind(one))), ""):
        AccessPolicy(config, "user").stop(TargetError, "pen.undo-file", path)
    key = "pen.many-transactions" if found or not unknown else unknown
    candidates = tuple(one.id for one in (found or visible(config, history)))[:_SHOWN]
    raise TargetError(
        say(config.lang, key, id=name, count=len(found)), hint=say(config.lang, f"{key}.hint"), candidates=candidates
    )


def matching(config: WorkspaceConfig, history: VersionStore, name: str) -> list[Transaction]:
    """Return the transactions whose id begins with a name or ends with it after a hyphen."""
    return [one for one in visible(config, history) if one.id.startswith(name) or one.id.endswith(f"-{name}")]


def _since(config: WorkspaceConfig, history: VersionStore, path: str | None) -> str:
    """Return the diff of files since mdmem last wrote them."""
    last: dict[str, WrittenFile] = {}
    for transaction in visible(config, history):
        for written in transaction.files:
            last.setdefault(written.path, written)
    if path is not None and path not in last:
        message, hint = say(config.lang, "pen.no-transaction", id=path), say(config.lang, "pen.no-transaction.hint")
        raise TargetError(message, hint=hint, candidates=tuple(sorted(last))[:_SHOWN])
    wanted = {path: last[path]} if path is not None else last
    before = {name: _version(history, written.after) for name, written in wanted.items()}
    return diff(before, {name: _live(config, name) for name in wanted})


def _live(config: WorkspaceConfig, path: str) -> Document | None:
    data = live_bytes(config, path)
    return None if data is None else parse(data)


def versions_around(history: VersionStore, written: WrittenFile) -> tuple[Document | None, Document | None] | None:
    """Return a file before and after; None if a version is no longer kept."""
    before, after = _version(history, written.before), _version(history, written.after)
    return None if (written.before and before is None) or (written.after and after is None) else (before, after)


def _version(history: VersionStore, digest: str | None) -> Document | None:
    data = history.read(digest) if digest else None
    return None if data is None else parse(data)
