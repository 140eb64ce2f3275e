"""The namespace of the inbox: what waits is listed, accepted or rejected; each acceptance is one commit."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.commit import ChangeRequest, translated_errors
from mdmem.entries.edits import add, remove
from mdmem.entries.inbox import InboxItem, apply, inbox_path, items, read_hunk
from mdmem.entries.model import Outcome
from mdmem.errors import MdmemError, MemoryOffError, RefusedError, TargetError, warn_renamed
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit


class Inbox:
    """The namespace `Workspace.inbox`: what waits for room, or for the user's word."""

    def __init__(self, config: WorkspaceConfig) -> None:
        self._config = config

    def __call__(self) -> tuple[InboxItem, ...]:
        """Return what `list` does; deprecated."""
        warn_renamed("Workspace.inbox()", "Workspace.inbox.list()")
        return self.list()

    def list(self) -> tuple[InboxItem, ...]:
        """Return what waits in inbox.md, in order: the key, the text or diff, where it belongs, who proposes it.

        Raises:
            MemoryOffError: memory is switched off, and nothing but memory waits.

        >>> [item.key for item in Workspace("workspace").inbox.list()]
        """
        return tuple(item for _, item in _items(self._config))

    def accept(self, keys: Sequence[str] = (), *, actor: str = "user", reason: str = "") -> tuple[Outcome, ...]:
        """Put what waits where it belongs, each as one commit; without keys, what is ticked in the inbox.

        What still finds no room, or no longer fits, goes on waiting: its outcome has the status `waiting` and says why.

        Raises:
            TargetError: nothing waits under a key; nothing was done.

        >>> Workspace("workspace").inbox.accept(["3fa91c"])
        """
        wanted = keys or [item.key for _, item in _items(self._config) if item.ticked]
        return tuple(_accept(self._config, item, actor, reason) for item in _named(self._config, wanted, actor))

    def reject(self, keys: Sequence[str], *, actor: str = "user", reason: str = "") -> Outcome:
        """Remove from the inbox what the user does not want; only the history keeps it.

        Raises:
            TargetError: nothing waits under a key.
            RefusedError: the actor is not the user.

        >>> Workspace("workspace").inbox.reject(["3fa91c"]).message
        """
        commit = ChangeRequest(self._config, "reject", actor, reason, confirm=True)
        inbox = inbox_path(self._config)
        if not commit.access.is_person:
            commit.access.stop(RefusedError, "pen.inbox-user", inbox)
        found = _named(self._config, keys, actor)

        def change(files: DraftFiles) -> Edits:
            document = commit.document(files, inbox)
            return {inbox: remove(document, [_entry(commit, document, item.key) for item in found]).edits}

        commit.run(change)
        return commit.outcome(say(commit.lang, "pen.rejected"), inbox)


def _accept(config: WorkspaceConfig, item: InboxItem, actor: str, reason: str) -> Outcome:
    """Make one change that waited, and take it out of the inbox; what cannot be made goes on waiting."""
    commit = ChangeRequest(config, "accept", actor, reason, confirm=True)
    inbox = inbox_path(config)
    try:
        path = commit.path(item.path)
        if not commit.access.may_accept(path):
            commit.access.stop(RefusedError, "pen.inbox-user", inbox)
        commit.run(lambda files: _change(commit, files, path, item))
    except MdmemError as raised:
        error = in_language(raised, commit.lang)
        return Outcome("waiting", error.message, error.hint, inbox)
    return commit.outcome(say(commit.lang, "pen.accepted", path=path), path)


def _change(commit: ChangeRequest, files: DraftFiles, path: str, item: InboxItem) -> Edits:
    inbox = inbox_path(commit.config)
    waits, document = commit.document(files, inbox), files[path]
    entry = _entry(commit, waits, item.key)
    edits = _asked(commit, path, document, waits, entry, item)
    return {path: edits, inbox: remove(waits, [entry]).edits}


def _asked(
    commit: ChangeRequest, path: str, document: Document | None, waits: Document, entry: Entry, item: InboxItem
) -> Sequence[Edit]:
    """Return the edits that were agreed to.

    Raises:
        TargetError: the file has no room still, or has changed so that they no longer fit.
    """
    if document is None:
        commit.new(path)
    if hunk := read_hunk(waits, entry):
        try:
            return (apply(document or parse(b""), hunk),)
        except MdmemError as error:
            raise TargetError(say(commit.lang, "pen.moved-on", path=path)) from error
    template = commit.template(path, document)
    with translated_errors(commit, path, "section"):
        intent = add(document, template, [item.text], section=item.section or None)
    if any(note.kind == "full" for note in intent.notes):
        commit.access.stop(TargetError, "pen.still-full", path)
    commit.note(path, *(note for note in intent.notes if note.kind == "duplicate"))
    return intent.edits


def _items(config: WorkspaceConfig) -> list[tuple[Entry, InboxItem]]:
    access = AccessPolicy(config, "user")
    with Root(config.root) as root:
        try:
            version = read(root.place(inbox_path(config)), config.settings.lint.max_bytes)
        except FileNotFoundError:
            version = None
    found = list(items(parse(version.data))) if version else []
    if config.settings.memory.enabled:
        return found
    open_to_all = [pair for pair in found if access.is_open(pair[1].path)]
    if not open_to_all:
        access.stop(MemoryOffError, "pen.off")
    return open_to_all


def _named(config: WorkspaceConfig, keys: Sequence[str], actor: str) -> list[InboxItem]:
    """Find what the keys name, before anything is done.

    Raises:
        TargetError: nothing waits under a key.
    """
    known = [item for _, item in _items(config)]
    found = []
    for key in keys:
        fits = [item for item in known if item.key.startswith(key.removeprefix("^"))] if key.strip("^") else []
        if len(fits) != 1:
            AccessPolicy(config, actor).stop(TargetError, "pen.no-waiting", name=key)
        found += fits
    return list(dict.fromkeys(found))


def _entry(commit: ChangeRequest, waits: Document, key: str) -> Entry:
    entry = next((entry for entry, item in items(waits) if item.key == key), None)
    if entry is None:
        commit.access.stop(TargetError, "pen.no-waiting", name=key)
    return entry
