"""Maintenance without a model: drain the inbox, retire old sections, merge repeated days, archive expired entries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.archive import archive, current_archive, no_longer_said
from mdmem.entries.commit import ChangeRequest, note_texts
from mdmem.entries.edits import add, find_section, remove, replace
from mdmem.entries.inbox.items import InboxItem, inbox_files, items
from mdmem.entries.inbox.proposals import propose
from mdmem.entries.model import Outcome
from mdmem.errors import MdmemError, TargetError
from mdmem.formats.joined_line import plain
from mdmem.formats.limits import expired, section_fills
from mdmem.formats.template import SectionSpec, Template
from mdmem.keeper.backlog.pending import retired, room
from mdmem.keeper.condensing.tidy import repeats
from mdmem.keeper.job import only_archived
from mdmem.linter.detect.relative_dates import is_dated
from mdmem.messages.catalog import say
from mdmem.sessions.read import session_days
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, Entry, Section
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.text.similarity import comparison_key

Leaving: TypeAlias = "tuple[list[Entry], list[Edit]]"  # the entries that leave, and the edits of their file
_TIMES = ("ttl", "created", "expires", "until")  # fields that a copy of an expired entry loses


def drain_inbox(config: WorkspaceConfig, path: str, *, dry_run: bool = False) -> Outcome:
    """Move inbox entries into the sections that they belong to, as many as fit without filling a section again."""
    commit = ChangeRequest(config, "compact", KEEPER, say(config.lang, "keeper.reason-return"), dry_run=dry_run)
    count = 0

    def change(files: DraftFiles) -> Edits:
        nonlocal count
        boxes = {inbox: box for inbox in inbox_files(config) if (box := files[inbox])}
        document = commit.document(files, path)
        template = commit.template(path, document)
        moved: dict[str, list[Entry]] = {}
        edits: list[Edit] = []
        for section, waits in _sections(boxes, path).items():
            free = _room(document, template, section)
            taken = waits if free is None else waits[:free]
            try:
                edit_plan = add(document, template, [item.text for _, _, item in taken], section=section or None)
            except MdmemError:  # its section is gone, or it no longer fits: left to a person
                continue
            full = {text for note in edit_plan.notes if note.kind == "full" for text in note_texts(note)}
            for inbox, entry, item in taken:
                if item.text not in full:
                    moved.setdefault(inbox, []).append(entry)
            edits += edit_plan.edits
        count = sum(map(len, moved.values()))
        gone = {inbox: remove(boxes[inbox], entries).edits for inbox, entries in moved.items()}
        return {path: edits, **gone} if moved else {}

    commit.run(change)
    return commit.outcome(say(config.lang, "keeper.returned", path=path, count=count), path)


def move_retired(config: WorkspaceConfig, path: str, *, dry_run: bool = False) -> Outcome:
    """Archive the entries of sections of an older format that have no successor, and remove the headings."""

    def leave(document: Document, template: Template) -> Leaving:
        found = retired(document, template)
        gone = [entry for section in found for entry in section.entries if not entry.depth]
        return gone, [edit for section in found for edit in _removal_edits(document, section)]

    return _archive(config, path, "retire", ("retired", "retired"), leave, dry_run=dry_run)


def merge_days(config: WorkspaceConfig, path: str, *, dry_run: bool = False) -> Outcome:
    """Merge entries that say the same on different days into one; the others go to the archive unchanged."""

    def leave(document: Document, template: Template) -> Leaving:
        found = tuple(repeats(document, template))
        gone = [entry for one in found for entry in one.gone]
        edits = [edit for one in found for edit in replace(document, one.kept, one.text).edits]
        return gone, [*edits, *remove(document, gone).edits] if gone else edits

    return _archive(config, path, "merge", ("merged", "days-merged"), leave, dry_run=dry_run)


def _archive(
    config: WorkspaceConfig,
    path: str,
    reason: str,
    labels: tuple[str, str],  # the reason in the archive, and the key of the message
    leave: Callable[[Document, Template], Leaving],
    *,
    dry_run: bool,
) -> Outcome:
    """Apply the edits that `leave` returns, and archive the entries that they remove."""
    commit = ChangeRequest(
        config, "compact", KEEPER, say(config.lang, f"keeper.reason-{reason}"), confirm=True, dry_run=dry_run
    )
    why, message_key = labels
    count = 0

    def change(files: DraftFiles) -> Edits:
        nonlocal count
        document = commit.document(files, path)
        template = commit.template(path, document)
        gone, edits = leave(document, template) if template else ([], [])
        count = len(gone)
        return {path: edits, **archive(commit, files, path, document, gone, why)} if gone else {}

    commit.run(change, propose=propose)
    return commit.outcome(say(config.lang, f"keeper.{message_key}", path=path, count=count), path)


def _removal_edits(document: Document, section: Section) -> Sequence[Edit]:
    """Return the edits that remove a section's entries, and its heading if nothing else is below it."""
    entries = [entry for entry in section.entries if not entry.depth]
    rest, done = "", section.body.start
    for entry in entries:
        rest, done = rest + document.text[done : entry.span.start], max(done, entry.span.end)
    if (rest + document.text[done : section.body.end]).strip():
        return remove(document, entries).edits
    lines = document.lines
    last = lines.at(max(section.body.end - 1, section.heading.start))
    return (Edit.replace(*lines.full(lines.at(section.heading.start), last), ""),)


def archive_expired(config: WorkspaceConfig, path: str, *, dry_run: bool = False) -> Outcome:
    """Move expired entries to the file that their kind names for them, or else to the archive.

    A move to the named file needs no confirmation (G023). A removal that needs one is proposed, after its entries are
    copied to the archive, so confirming it loses nothing.
    """
    # confirmed already, because a removal of most of a file loses nothing here
    commit = ChangeRequest(
        config, "compact", KEEPER, say(config.lang, "keeper.reason-expire"), confirm=True, dry_run=dry_run
    )
    sessions = session_days(config)
    count, to, note = 0, "", ""
    reason = commit.reason

    def change(files: DraftFiles) -> Edits:
        nonlocal count, to, note
        document = commit.document(files, path)
        template = commit.template(path, document)
        gone = expired(document, template, config.today, sessions) if template else ()
        gone = tuple(one for one in gone if commit.gate.unfit(path, f"- {one.text}\n") is None)
        if not gone or template is None:
            return {}
        count = len(gone)
        target = _target(config, template)
        commit.access.granted = path if target else ""
        if target:
            to, copies = target.files[0], _copy_edits(commit, files, template, target, gone)
        else:
            to = current_archive(config)
            present_keys = _entry_keys(files[to])
            # an entry of an open proposal is in the archive already
            new = [one for one in gone if comparison_key(_body(one)) not in present_keys]
            copies = archive(commit, files, path, document, new, "expired")
            note = only_archived(commit, no_longer_said(gone, ""))
            commit.reason = reason + note
        return {path: remove(document, gone).edits, **copies}

    commit.run(change, propose=propose)
    return commit.outcome(say(config.lang, "keeper.expired", path=path, count=count, to=to) + note, path)


def _sections(boxes: Mapping[str, Document], path: str) -> dict[str, list[tuple[str, Entry, InboxItem]]]:
    """Return what waits for the sections of a file, each entry with its file of the inbox."""
    found: dict[str, list[tuple[str, Entry, InboxItem]]] = {}
    for inbox, box in boxes.items():
        for entry, item in items(box):
            if item.path == path and not (item.by or item.change):
                found.setdefault(item.section, []).append((inbox, entry, item))
    return found


def _room(document: Document, template: Template | None, section: str) -> int | None:
    if template is None:
        return None
    name = template.name(section) or section
    return next((room(fill) for fill in section_fills(document, template) if fill.spec.name == name), None)


def _target(config: WorkspaceConfig, template: Template) -> Template | None:
    """Return the kind of file that takes the expired entries of a template; None for the archive."""
    named = template.parts.get("expired_to", ())
    return config.schemas.get(named[0]) if named else None


def _copy_edits(
    commit: ChangeRequest, files: DraftFiles, template: Template, target: Template, gone: Sequence[Entry]
) -> Edits:
    """Return the edits that copy expired entries to the file that their kind names, except those already present."""
    path = target.files[0]
    old = files[path]
    schema = commit.template(path, old) or target
    present_keys = _entry_keys(old)
    texts = [_dated_copy(commit, entry) for entry in gone if comparison_key(_body(entry)) not in present_keys]
    if not texts:
        return {}
    name = template.parts["expired_to"][1:]
    return {path: add(old, schema, texts, section=_section(old, schema, name[0]) if name else None).edits}


def _entry_keys(document: Document | None) -> str:
    return "\n".join(comparison_key(entry.text) for entry in document.entries) if document else ""


def _section(document: Document | None, template: Template, name: str) -> str:
    try:
        found = find_section(document, template, name)
    except TargetError:
        return name
    return found.name if isinstance(found, SectionSpec) else found.title


def _dated_copy(commit: ChangeRequest, entry: Entry) -> str:
    """Return an expired entry as the other file needs it: dated, and without fields that make it expire."""
    text = plain(one_line(entry.text))
    created = entry.parts.field("created")
    for field in reversed(read_entry(text).fields):
        if field.key in _TIMES:
            text = text[: field.span.start].rstrip(" ") + text[field.span.end :]
    if is_dated(text):
        return text
    colon = say(commit.lang, "punctuation.colon")
    return f"{created.value if created else commit.config.day}{colon}{text}"


def _body(entry: Entry) -> str:
    """Return the text of an entry without date and fields, to find it again under another date."""
    parts = entry.parts
    return parts.body.of(entry.text).strip() or entry.text
