"""The namespace of the inbox: list, accept and reject; each acceptance is one commit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from mdmem.config.inbox_sections import PROPOSALS
from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.commit import ChangeRequest, translated_errors
from mdmem.entries.edits import add, remove
from mdmem.entries.inbox.items import InboxItem, inbox_files, inbox_path, items, read_hunk, unread_files
from mdmem.entries.inbox.proposals import apply, inbox_edits
from mdmem.entries.model import AfterChange, Outcome, OutcomeStatus, as_it_is
from mdmem.entries.read import live_bytes
from mdmem.entries.tombstones import PATH as TOMBSTONES
from mdmem.errors import MdmemError, MemoryOffError, RefusedError, TargetError
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry

if TYPE_CHECKING:
    from mdmem.entries.forget.model import ForgetResult

_FORGET = "forget"  # the field with the text that shall be forgotten

# Carries out an accepted item of a kind with rules of its own; None leaves it to the inbox.
AcceptItem = Callable[[ChangeRequest, DraftFiles, str, InboxItem], Edits | None]


def _plain_item(_commit: ChangeRequest, _files: DraftFiles, _path: str, _item: InboxItem) -> None:
    """Leave every item to the inbox."""


class Inbox(TypedCalls):
    """The namespace `Workspace.inbox`: entries without room, and changes that need the user's approval."""

    def __init__(
        self,
        config: WorkspaceConfig,
        special: AcceptItem = _plain_item,
        forget: Callable[[str], ForgetResult] | None = None,
        after: AfterChange = as_it_is,
    ) -> None:
        """Bind to a workspace.

        Args:
            config: the workspace.
            special: makes the items that are no plain entries.
            forget: erases a text, for requests of agents that the user accepts.
            after: gets the outcome of each accepted item.
        """
        self._config, self._special, self._forget, self._after = config, special, forget, after

    def list(self) -> tuple[InboxItem, ...]:
        """Return the items of inbox.md, in order: key, text or diff, target, proposer.

        Raises:
            MemoryOffError: memory is switched off, and all items are memory.

        >>> [item.key for item in Workspace("workspace").inbox.list()]
        """
        return tuple(item for _, item in _items(self._config))

    def unread(self) -> tuple[str, ...]:
        """Return the files of the inbox that are too large to be read; what waits in them is not listed.

        >>> Workspace("workspace").inbox.unread()
        """
        return unread_files(self._config)

    def accept(self, keys: Sequence[str] = (), *, actor: str = "user", reason: str = "") -> tuple[Outcome, ...]:
        """Move items to their targets, each as one commit; without keys, the ticked ones.

        An item that still finds no room, or no longer applies, keeps waiting: its outcome has the status `waiting` and
        the reason.

        Raises:
            TargetError: no item has this key; nothing was done.

        >>> Workspace("workspace").inbox.accept(["3fa91c"])
        """
        wanted = keys or [item.key for _, item in _items(self._config) if item.ticked]
        return tuple(
            self._accept_forget(item, actor)
            if item.to == TOMBSTONES
            else self._after(_accept(self._config, item, actor, reason, self._special))
            for item in _named(self._config, wanted, actor)
        )

    def ask_forget(self, words: str, *, actor: str) -> Outcome:
        """Put an agent's request to forget a text into the inbox; the user erases it by accepting (P043).

        Raises:
            RefusedError: the text is a secret or the like, which the inbox may not hold either.
        """
        commit = ChangeRequest(self._config, "forget", actor, "")
        inbox, text = inbox_path(self._config), say(self._config.lang, "pen.forget-request")
        commit.run(
            lambda files: inbox_edits(
                commit, files, [text], PROPOSALS, TOMBSTONES, commit.access.actor, {_FORGET: " ".join(words.split())}
            )
        )
        status: OutcomeStatus = "waiting" if commit.gate.steps else "unchanged"
        asked, hint = (say(commit.lang, key, path=inbox) for key in ("pen.forget-asked", "pen.forget-asked.hint"))
        return Outcome(status, asked, hint, inbox, commit.transaction)

    def _accept_forget(self, item: InboxItem, actor: str) -> Outcome:
        """Erase the text that a request names; the request goes with it."""
        access, inbox = AccessPolicy(self._config, actor), inbox_path(self._config)
        words = read_entry(item.text).field(_FORGET)
        if not access.is_person or self._forget is None or words is None:
            access.stop(RefusedError, "pen.inbox-user", inbox)
        done = self._forget(words.value)
        return Outcome("done", done.message, done.hint, inbox, done.transaction)

    def reject(self, keys: Sequence[str], *, actor: str = "user", reason: str = "") -> Outcome:
        """Remove items from the inbox; only the history keeps them.

        Raises:
            TargetError: no item has this key.
            RefusedError: the actor is not the user.

        >>> Workspace("workspace").inbox.reject(["3fa91c"]).message
        """
        commit = ChangeRequest(self._config, "reject", actor, reason, confirm=True)
        inbox = inbox_path(self._config)
        if not commit.access.is_person:
            commit.access.stop(RefusedError, "pen.inbox-user", inbox)
        found = _named(self._config, keys, actor)

        def change(files: DraftFiles) -> Edits:
            gone: dict[str, list[Entry]] = {}
            for item in found:
                path, _, entry = _waiting_entry(commit, files, item.key)
                gone.setdefault(path, []).append(entry)
            return {path: remove(commit.document(files, path), entries).edits for path, entries in gone.items()}

        commit.run(change)
        return commit.outcome(say(commit.lang, "pen.rejected"), inbox)


def _accept(config: WorkspaceConfig, item: InboxItem, actor: str, reason: str, special: AcceptItem) -> Outcome:
    """Make one waiting change and remove it from the inbox; a change that cannot be made keeps waiting."""
    commit = ChangeRequest(config, "accept", actor, reason, confirm=True)
    inbox = inbox_path(config)
    try:
        path = commit.path(item.path)
        if not commit.access.may_accept(path):
            commit.access.stop(RefusedError, "pen.inbox-user", inbox)
        commit.run(lambda files: _change(commit, files, path, item, special))
    except MdmemError as raised:
        error = in_language(raised, commit.lang)
        return Outcome("waiting", error.message, error.hint, inbox)
    return commit.outcome(say(commit.lang, "pen.accepted", path=path), path)


def _change(commit: ChangeRequest, files: DraftFiles, path: str, item: InboxItem, special: AcceptItem) -> Edits:
    inbox, waits, entry = _waiting_entry(commit, files, item.key)
    document = files[path]
    edits = special(commit, files, path, item)
    if edits is None:
        edits = {path: _asked(commit, path, document, waits, entry, item)}
    return {**edits, inbox: remove(waits, [entry]).edits}


def _asked(
    commit: ChangeRequest, path: str, document: Document | None, waits: Document, entry: Entry, item: InboxItem
) -> Sequence[Edit]:
    """Return the edits of an accepted item.

    Raises:
        TargetError: the file still has no room, or has changed so that they no longer apply.
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
    most = config.settings.lint.max_bytes
    contents = [live_bytes(config, path, most) for path in inbox_files(config)]
    found = [pair for data in contents if data is not None for pair in items(parse(data))]
    if config.settings.memory.enabled:
        return found
    open_to_all = [pair for pair in found if access.is_open(pair[1].path)]
    if not open_to_all:
        access.stop(MemoryOffError, "pen.off")
    return open_to_all


def _named(config: WorkspaceConfig, keys: Sequence[str], actor: str) -> list[InboxItem]:
    """Return the items of these keys, before anything is done.

    Raises:
        TargetError: no item has this key.
    """
    waiting = [item for _, item in _items(config)]
    found = []
    for key in keys:
        fits = [item for item in waiting if item.key.startswith(key.removeprefix("^"))] if key.strip("^") else []
        if len(fits) != 1:
            AccessPolicy(config, actor).stop(TargetError, "pen.no-waiting", name=key)
        found += fits
    return list(dict.fromkeys(found))


def _waiting_entry(commit: ChangeRequest, files: DraftFiles, key: str) -> tuple[str, Document, Entry]:
    """Return the file of the inbox in which an item waits, and its entry."""
    documents = ((path, files[path]) for path in inbox_files(commit.config))
    waits = ((path, one, entry, item) for path, one in documents if one for entry, item in items(one))
    found = next((waiting[:3] for waiting in waits if waiting[3].key == key), None)
    if found is None:
        commit.access.stop(TargetError, "pen.no-waiting", name=key)
    return found
