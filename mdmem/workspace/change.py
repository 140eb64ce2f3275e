"""The journeys over entries that are there: replace, tick, remove, and a whole section overwritten."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Entry
from mdmem.core.intent import find_entry, remove, replace, replace_section, tick
from mdmem.errors import UsageError
from mdmem.linter.dates import is_dated
from mdmem.store.draft import Edits, Files
from mdmem.workspace.archive import archive
from mdmem.workspace.commit import Commit, texts_of
from mdmem.workspace.entry import owner, ready, retold, rule_of
from mdmem.workspace.inbox import overflow, propose
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.words import say


def replace_entry(commit: Commit, path: str, entry: str, text: str) -> Outcome:
    """Give an entry another text; see `Workspace.replace`."""
    path = commit.path(path)

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        with retold(commit, path, "entry"):
            found = find_entry(document, entry)
            section = owner(document, found)
            rule = rule_of(commit.template(path, document), section)
            dated = is_dated(path.rpartition("/")[2]) or is_dated(section.title if section else "")
            made = ready(commit, path, [text], rule, dated=dated)
            intent = replace(document, found, made.texts[0])
        commit.note(path, *made.notes, *intent.notes)
        return {path: intent.edits}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "replaced", path=path), path)


def tick_entry(commit: Commit, path: str, entry: str, *, done: bool) -> Outcome:
    """Mark an entry as done, or not; see `Workspace.tick`."""
    path = commit.path(path)

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        with retold(commit, path, "entry"):
            return {path: tick(document, find_entry(document, entry), done=done).edits}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "ticked" if done else "unticked", path=path), path)


def remove_entries(commit: Commit, path: str, entries: Sequence[str]) -> Outcome:
    """Take entries out of a file and into the archive; see `Workspace.remove`."""
    path = commit.path(path)
    if not entries or isinstance(entries, str):
        commit.access.stop(UsageError, "empty-text")
    gone = 0

    def change(files: Files) -> Edits:
        nonlocal gone
        document = commit.document(files, path)
        with retold(commit, path, "entry"):
            found = list(dict.fromkeys(find_entry(document, entry) for entry in entries))
            intent = remove(document, found)
        gone = sum(len(texts_of(note)) for note in intent.notes if note.kind == "removed")
        commit.note(path, *intent.notes)
        if commit.access.waits(path):
            return {path: intent.edits}
        return {path: intent.edits, **archive(commit, files, path, document, _outer(found), "removed")}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "removed", path=path, count=gone), path)


def overwrite_section(commit: Commit, path: str, section: str, content: str) -> Outcome:
    """Put new entries in the place of a section's old ones; see `Workspace.replace_section`."""
    path = commit.path(path)
    commit.gate.raw(path, content)

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        template = commit.template(path, document)
        with retold(commit, path, "section"):
            intent = replace_section(document, template, section, content)
        commit.note(path, *intent.notes)
        if commit.access.waits(path):
            return {path: intent.edits}
        texts = {note.kind: texts_of(note) for note in intent.notes}
        left = [one for one in document.entries if one.text in texts.get("removed", ())]
        kept = archive(commit, files, path, document, _outer(left), "compacted")
        full = next((note for note in intent.notes if note.kind == "full"), None)
        return {path: intent.edits, **kept, **(overflow(commit, files, path, section, full) if full else {})}

    commit.run(change, propose=propose)
    where = say(commit.lang, "in-section", section=section)
    return commit.outcome(say(commit.lang, "section-replaced", path=path, section=where), path)


def _outer(entries: Sequence[Entry]) -> list[Entry]:
    """Leave out the entries that stand below another of them."""
    return [one for one in entries if not any(other is not one and other.span.holds(one.span) for other in entries)]
