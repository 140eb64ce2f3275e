"""The journeys over entries that are there: replace, tick, remove, and a whole section overwritten."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import groupby

from mdmem.core.document import Document, Entry
from mdmem.core.edit import Edit
from mdmem.core.intent import Intent, find_entry, remove, replace, replace_section, tick
from mdmem.core.intent.place import changed, insertion, region, rows
from mdmem.core.similarity import is_said
from mdmem.errors import ConfirmError, UsageError
from mdmem.keeper.piece import Originals
from mdmem.linter.dates import is_dated
from mdmem.store.draft import Edits, Files
from mdmem.workspace.archive import archive
from mdmem.workspace.commit import Commit, texts_of
from mdmem.workspace.entry import owner, ready, retold, rule_of
from mdmem.workspace.inbox import overflow, propose
from mdmem.workspace.joined import Unit, cuts, meant
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.settle import no_longer_said
from mdmem.workspace.task import archived
from mdmem.workspace.words import say

_SEVERAL = 2  # entries; one that is put in another's place is an ordinary change


def replace_entry(commit: Commit, path: str, entry: str, text: str) -> Outcome:
    """Give an entry another text; see `Workspace.replace`. One of a joined line leaves it and stands below."""
    path = commit.path(path)

    def change(files: Files) -> Edits:
        document = commit.document(files, path)
        with retold(commit, path, "entry"):
            found = meant(document, entry, partial(_originals, commit, path))
            line = found.entry if isinstance(found, Unit) else found
            section = owner(document, line)
            rule = rule_of(commit.template(path, document), section)
            dated = is_dated(path.rpartition("/")[2]) or is_dated(section.title if section else "")
            made = ready(commit, path, [text], rule, dated=dated)
            if isinstance(found, Unit):
                new = rows(document, region(document, section), made.texts, line)
                edits = (*cuts([found]), insertion(document, line.last_line, new, above=False, under=False))
                intent = Intent(edits)
            else:
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
            originals = partial(_originals, commit, path)
            found = _whole(dict.fromkeys(meant(document, entry, originals) for entry in entries))
            units = [one for one in found if isinstance(one, Unit)]
            whole = [one for one in found if isinstance(one, Entry)]
            intent = remove(document, whole)
        lines = groupby(units, key=lambda unit: unit.entry)
        edits = (*intent.edits, *(edit for _, some in lines for edit in cuts(list(some))))
        gone = len(units) + sum(len(texts_of(note)) for note in intent.notes if note.kind == "removed")
        commit.note(path, *intent.notes)
        if commit.access.waits(path):
            return {path: edits}
        left = [*_outer(whole), *(unit.entry for unit in units)]
        texts = [*(None for _ in _outer(whole)), *((unit.text,) for unit in units)]
        return {path: edits, **archive(commit, files, path, document, left, "removed", texts)}

    commit.run(change, propose=propose)
    return commit.outcome(say(commit.lang, "removed", path=path, count=gone), path)


def _originals(commit: Commit, path: str) -> Originals:
    return Originals(archived(commit.config, path))


def _whole(found: Iterable[Entry | Unit]) -> list[Entry | Unit]:
    """Put a line in place of its units where all of them were meant; those of one line stand together."""
    lines: dict[Entry, list[Unit]] = {}
    whole: dict[Entry, None] = {}
    for one in found:
        if isinstance(one, Unit):
            lines.setdefault(one.entry, []).append(one)
        else:
            whole[one] = None
    whole.update((line, None) for line, units in lines.items() if len(units) == len(units[0].spans))
    return [*whole, *(unit for line, units in lines.items() if line not in whole for unit in units)]


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
        _ask(commit, path, document, intent.edits, left)
        kept = archive(commit, files, path, document, _outer(left), "compacted")
        full = next((note for note in intent.notes if note.kind == "full"), None)
        return {path: intent.edits, **kept, **(overflow(commit, files, path, section, full) if full else {})}

    commit.run(change, propose=propose)
    where = say(commit.lang, "in-section", section=section)
    return commit.outcome(say(commit.lang, "section-replaced", path=path, section=where), path)


def _ask(commit: Commit, path: str, document: Document, edits: Sequence[Edit], left: Sequence[Entry]) -> None:
    """Ask before a section loses several entries, each of which the new text neither holds nor nearly repeats.

    Raises:
        ConfirmError: it would, and nobody has confirmed it.
    """
    pen, least = commit.config.settings.pen, commit.config.settings.lint.near_duplicate
    if commit.gate.confirm or len(left) < _SEVERAL:
        return
    after, known = changed(document, edits), {one.text for one in document.entries}
    fresh = [one.text for one in after.entries if one.text not in known]
    lost = [text for text in no_longer_said(left, after.text) if not is_said(text, fresh, least)]
    section = owner(document, left[0])
    count = len(section.entries) if section else len(document.entries)
    if len(lost) >= pen.shrink_entries or (len(lost) >= _SEVERAL and len(lost) > pen.shrink_ratio * count):
        commit.access.stop(ConfirmError, "section-loses", path, count=count, gone=len(lost))


def _outer(entries: Sequence[Entry]) -> list[Entry]:
    """Leave out the entries that stand below another of them."""
    return [one for one in entries if not any(other is not one and other.span.holds(one.span) for other in entries)]
