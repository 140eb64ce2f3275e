"""What is decided about the items of the inbox: accept or reject them, or ask the user to forget a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mdmem.config.inbox_sections import PROPOSALS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest, translated_errors
from mdmem.entries.edits import add, remove
from mdmem.entries.inbox.items import FORGET, InboxItem, inbox_files, inbox_path, items, named_items, read_hunk
from mdmem.entries.inbox.proposals import apply, inbox_edits
from mdmem.entries.model import Outcome, OutcomeStatus
from mdmem.entries.tombstones import PATH as TOMBSTONES
from mdmem.errors import MdmemError, RefusedError, TargetError
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit

# Carries out an accepted item of a kind with rules of its own; None leaves it to the inbox.
AcceptItem = Callable[[ChangeRequest, DraftFiles, str, InboxItem], Edits | None]


def ask_forget(config: WorkspaceConfig, words: str, actor: str) -> Outcome:
    """Add a request to forget a text to the inbox; see `Workspace.inbox.ask_forget`."""
    commit = ChangeRequest(config, "forget", actor, "")
    inbox, text = inbox_path(config), say(config.lang, "pen.forget-request")
    commit.run(
        lambda files: inbox_edits(
            commit, files, [text], PROPOSALS, TOMBSTONES, commit.access.actor, {FORGET: " ".join(words.split())}
        )
    )
    status: OutcomeStatus = "waiting" if commit.gate.steps else "unchanged"
    asked, hint = (say(commit.lang, key, path=inbox) for key in ("pen.forget-asked", "pen.forget-asked.hint"))
    return Outcome(status, asked, hint, inbox, commit.transaction)


def reject_items(config: WorkspaceConfig, keys: Sequence[str], actor: str, reason: str) -> Outcome:
    """Remove items from the inbox; see `Workspace.inbox.reject`."""
    commit = ChangeRequest(config, "reject", actor, reason, confirm=True)
    inbox = inbox_path(config)
    if not commit.access.is_person:
        commit.access.stop(RefusedError, "pen.inbox-user", inbox)
    found = named_items(config, keys, actor)

    def change(files: DraftFiles) -> Edits:
        gone: dict[str, list[Entry]] = {}
        for item in found:
            path, _, entry = _waiting_entry(commit, files, item.key)
            gone.setdefault(path, []).append(entry)
        return {path: remove(commit.document(files, path), entries).edits for path, entries in gone.items()}

    commit.run(change)
    return commit.outcome(say(commit.lang, "pen.rejected"), inbox)


def accept_item(config: WorkspaceConfig, item: InboxItem, actor: str, reason: str, special: AcceptItem) -> Outcome:
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


def _waiting_entry(commit: ChangeRequest, files: DraftFiles, key: str) -> tuple[str, Document, Entry]:
    """Return the file of the inbox in which an item waits, and its entry."""
    documents = ((path, files[path]) for path in inbox_files(commit.config))
    waits = ((path, one, entry, item) for path, one in documents if one for entry, item in items(one))
    found = next((waiting[:3] for waiting in waits if waiting[3].key == key), None)
    if found is None:
        commit.access.stop(TargetError, "pen.no-waiting", name=key)
    return found
