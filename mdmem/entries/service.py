"""Entries and files: add, replace, tick, remove, edit, write, rename, delete and init, each as one transaction.

Entries without room wait in the inbox (law 7); removed entries go to the archive.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from dataclasses import replace as replace_fields
from functools import partial
from itertools import groupby

from mdmem.config.inbox_sections import PROPOSALS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.archive import archive, archive_file, archived, no_longer_said
from mdmem.entries.commit import (
    ChangeRequest,
    expected_version,
    note_texts,
    owner,
    prepare_entry,
    require_text,
    rule_of,
    translated_errors,
    worth_remembering,
)
from mdmem.entries.edits import (
    EditNote,
    EditPlan,
    add,
    exact,
    find_entry,
    find_section,
    remove,
    replace,
    replace_section,
    tick,
)
from mdmem.entries.edits.already_said import SaidEntries, SameWords
from mdmem.entries.edits.placement import edited_document, entry_lines, insertion, insertion_region
from mdmem.entries.inbox.proposals import inbox_edits, overflow_to_inbox, pending_confirmation, propose, target_label
from mdmem.entries.joined import Unit, cuts, find_part
from mdmem.entries.kind_files import kind_file
from mdmem.entries.model import Outcome
from mdmem.errors import RefusedError, TargetError, UsageError, WriteError
from mdmem.formats.joined_line import Originals
from mdmem.formats.template import SectionSpec, Template
from mdmem.linter.detect.relative_dates import is_dated
from mdmem.linter.masking import mask
from mdmem.linter.rule import quote
from mdmem.linter.service import known_of
from mdmem.messages.catalog import say
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.store.walk import SETTINGS_FILE
from mdmem.text.document import Document, Entry, Section, parse
from mdmem.text.edit import Edit, smallest
from mdmem.text.inline import one_line
from mdmem.text.similarity import is_near_duplicate_of_any


def add_entries(
    commit: ChangeRequest,
    path: str,
    texts: Sequence[str],
    section: str | None,
    fields: Mapping[str, str] | None,
    expect: str | bytes | None,
) -> Outcome:
    """Add memories to a file; see `Workspace.add`."""
    path = commit.path(path)
    kept = worth_remembering(commit, path, texts)
    if texts and not kept:
        return Outcome("unchanged", say(commit.lang, "pen.not-remembered"), say(commit.lang, "pen.not-remembered.hint"))
    if not commit.exists(path):
        commit.new(path)
    adding = _AddEntries(commit, path, kept, section, dict(fields or {}))
    commit.run(adding.change, expect=expected_version(path, expect), paths=(path,))
    where = say(commit.lang, "pen.in-section", section=adding.section) if adding.section else ""
    key = "pen.added" if adding.count == 1 else "pen.added-many"
    left = [say(commit.lang, "pen.small-talk-left", text=quote(one)) for one in texts if one not in kept]
    if adding.begun:
        left.insert(0, adding.begun)
    return commit.outcome(say(commit.lang, key, path=path, section=where, count=adding.count), path, *left)


class _AddEntries:
    """One addition; `section` and `count` describe its last attempt."""

    def __init__(
        self, commit: ChangeRequest, path: str, texts: Sequence[str], section: str | None, fields: Mapping[str, str]
    ) -> None:
        self.commit, self.path, self.texts, self.asked, self.fields = commit, path, texts, section, fields
        self.section, self.count, self.begun = "", 0, ""

    def change(self, files: DraftFiles) -> Edits:
        """Return the edits of the file, and of the inbox for entries that have to wait."""
        commit, path = self.commit, self.path
        document = files[path]
        if document is not None:
            self._bounded(document)
        template = commit.template(path, document)
        if document is None:
            self._may_begin(template)
        with translated_errors(commit, path, "section"):
            target = self._target(document, template)
            self.section = target.name if isinstance(target, SectionSpec) else target.title if target else ""
            dated = is_dated(path.rpartition("/")[2]) or is_dated(self.section)
            made = prepare_entry(commit, path, self.texts, rule_of(template, target), dated=dated)
            fresh, said = self._new(document, template, target, made.texts)
            if not fresh:
                commit.note(path, *said)
                return {}
            intent = add(document, template, fresh, section=self.asked, fields=self.fields, again=commit.again)
        commit.note(path, *made.notes, *said, *intent.notes)
        full = next((note for note in intent.notes if note.kind == "full"), None)
        over = note_texts(full) if full else ()
        again = {text for note in intent.notes if note.kind == "duplicate" for text in note_texts(note)}
        self.count = len(fresh) - len(over) - len(again)
        if commit.access.waits(path):
            commit.gate.examine(path, document, intent.edits)
            return self._wait(files, [text for text in fresh if text not in again])
        return {path: intent.edits, **(overflow_to_inbox(commit, files, path, self.section, full) if full else {})}

    def _new(
        self, document: Document | None, template: Template | None, target: Section | SectionSpec | None,
        texts: Sequence[str],
    ) -> tuple[Sequence[str], Sequence[EditNote]]:  # fmt: skip
        """Return the texts that no entry says yet, and notes about the others."""
        if document is None or self.commit.again or rule_of(template, target).recurs:
            return texts, ()
        settings = self.commit.config.settings
        qualifiers = (*settings.keeper.hedges, *settings.compile.exceptions)
        words = SameWords(settings.lint.near_duplicate, settings.lint.min_duplicate_chars, qualifiers)
        section = target if isinstance(target, Section) else None
        return SaidEntries(document, template, section, words).split(texts)

    def _target(self, document: Document | None, template: Template | None) -> Section | SectionSpec | None:
        if self.asked is None:
            named = template.default if template and template.policy != "free" else ""
            return find_section(document, template, named) if named else None
        if template is not None and template.policy == "free":  # a section may be created
            with suppress(TargetError):
                return find_section(document, template, self.asked)
            return None
        return find_section(document, template, self.asked)

    def _bounded(self, document: Document) -> None:
        """Refuse a file with more lines than the linter reads, before it is parsed."""
        lines, most = len(document.lines), self.commit.config.settings.lint.max_lines
        if lines > most:
            self.commit.access.stop(RefusedError, "pen.too-many-lines", self.path, lines=lines, max=most)

    def _may_begin(self, template: Template | None) -> None:
        """Refuse to create a file if its kind does not allow that (P044)."""
        if template is None and not (self.commit.access.is_person and self.path.casefold().endswith(".md")):
            self.commit.access.stop(TargetError, "pen.no-kind", self.path)
        if template is not None and template.create == "never":
            self.commit.access.stop(RefusedError, "pen.never-made", self.path)
        self.commit.new(self.path)
        if self.path in known_of(self.commit.config).files:
            self.begun = say(self.commit.lang, "pen.was-deleted", path=self.path)
        elif template is None:
            self.begun = say(self.commit.lang, "pen.new-note", path=self.path)

    def _wait(self, files: DraftFiles, texts: Sequence[str]) -> Edits:
        commit = self.commit
        if not texts:
            return {}
        commit.waiting = pending_confirmation(commit, self.path)
        return inbox_edits(
            commit, files, texts, PROPOSALS, target_label(self.path, self.section), commit.access.actor, self.fields
        )


_SEVERAL = 2  # entries; replacing a single one needs no confirmation


def replace_entry(commit: ChangeRequest, path: str, entry: str, text: str, expect: str | bytes | None) -> Outcome:
    """Replace the text of an entry; see `Workspace.replace`. A unit of a joined line becomes an entry below it."""
    path = commit.path(path)

    if not worth_remembering(commit, path, [text]):
        return Outcome("unchanged", say(commit.lang, "pen.not-remembered"))

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        with translated_errors(commit, path, "entry"):
            found = find_part(document, entry, partial(_originals, commit, path))
            line = found.entry if isinstance(found, Unit) else found
            section = owner(document, line)
            rule = rule_of(commit.template(path, document), section)
            dated = is_dated(path.rpartition("/")[2]) or is_dated(section.title if section else "")
            made = prepare_entry(commit, path, [text], rule, dated=dated)
            if isinstance(found, Unit):
                new = entry_lines(document, insertion_region(document, section), made.texts, line)
                edits = (*cuts([found]), insertion(document, line.last_line, new, above=False, under=False))
                intent = EditPlan(edits)
            else:
                intent = replace(document, found, made.texts[0])
        commit.note(path, *made.notes, *intent.notes)
        return {path: intent.edits}

    commit.run(change, expect=expected_version(path, expect), propose=propose)
    return commit.outcome(say(commit.lang, "pen.replaced", path=path), path)


def tick_entry(commit: ChangeRequest, path: str, entry: str, expect: str | bytes | None, *, done: bool) -> Outcome:
    """Mark an entry as done or open; see `Workspace.tick`."""
    path = commit.path(path)

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        with translated_errors(commit, path, "entry"):
            return {path: tick(document, find_entry(document, entry), done=done).edits}

    commit.run(change, expect=expected_version(path, expect), propose=propose)
    found = commit.outcome(say(commit.lang, "pen.ticked" if done else "pen.unticked", path=path), path)
    if found.status != "unchanged":
        return found
    return replace_fields(found, message=say(commit.lang, "pen.ticked-already" if done else "pen.unticked-already"))


def remove_entries(commit: ChangeRequest, path: str, entries: Sequence[str], expect: str | bytes | None) -> Outcome:
    """Move entries to the archive; see `Workspace.remove`."""
    path = commit.path(path)
    if not entries or isinstance(entries, str):
        commit.access.stop(UsageError, "pen.empty-text")
    count = 0

    def change(files: DraftFiles) -> Edits:
        nonlocal count
        document = commit.document(files, path)
        originals, named = partial(_originals, commit, path), dict[Entry | Unit, None]()
        for entry in entries:
            with translated_errors(commit, path, "entry", entry if len(entries) > 1 else ""):
                named[find_part(document, entry, originals)] = None
        found = _whole(named)
        with translated_errors(commit, path, "entry"):
            units = [one for one in found if isinstance(one, Unit)]
            whole = [one for one in found if isinstance(one, Entry)]
            intent = remove(document, whole)
        lines = groupby(units, key=lambda unit: unit.entry)
        edits = (*intent.edits, *(edit for _, some in lines for edit in cuts(list(some))))
        count = len(units) + sum(len(note_texts(note)) for note in intent.notes if note.kind == "removed")
        commit.note(path, *intent.notes)
        if commit.access.waits(path):
            return {path: edits}
        live = {one.text for one in (files.live(path) or document).entries}  # somebody else may have removed it too
        whole = [one for one in whole if one.text in live]
        left = [*_outer(whole), *(unit.entry for unit in units)]
        texts = [*(None for _ in _outer(whole)), *((unit.text,) for unit in units)]
        return {path: edits, **archive(commit, files, path, document, left, "removed", texts)}

    commit.run(change, expect=expected_version(path, expect), propose=propose)
    return commit.outcome(say(commit.lang, "pen.removed", path=path, count=count), path)


def _originals(commit: ChangeRequest, path: str) -> Originals:
    return Originals(archived(commit.config, path))


def _whole(found: Iterable[Entry | Unit]) -> list[Entry | Unit]:
    """Replace the units of a line by the line itself if all are included; group the other units by line."""
    lines: dict[Entry, list[Unit]] = {}
    whole: dict[Entry, None] = {}
    for target in found:
        if isinstance(target, Unit):
            lines.setdefault(target.entry, []).append(target)
        else:
            whole[target] = None
    whole.update((line, None) for line, units in lines.items() if len(units) == len(units[0].spans))
    return [*whole, *(unit for line, units in lines.items() if line not in whole for unit in units)]


def overwrite_section(
    commit: ChangeRequest, path: str, section: str, content: str, expect: str | bytes | None
) -> Outcome:
    """Replace a section's entries; see `Workspace.replace_section`."""
    path = commit.path(path)
    commit.gate.raw(path, content)

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        template = commit.template(path, document)
        with translated_errors(commit, path, "section"):
            intent = replace_section(document, template, section, content)
        commit.note(path, *intent.notes)
        if commit.access.waits(path):
            return {path: intent.edits}
        texts = {note.kind: note_texts(note) for note in intent.notes}
        live = {one.text for one in (files.live(path) or document).entries}
        left = [one for one in document.entries if one.text in texts.get("removed", ()) and one.text in live]
        _ask(commit, path, document, intent.edits, left)
        archiving = archive(commit, files, path, document, _outer(left), "compacted")
        full = next((note for note in intent.notes if note.kind == "full"), None)
        return {
            path: intent.edits,
            **archiving,
            **(overflow_to_inbox(commit, files, path, section, full) if full else {}),
        }

    commit.run(change, expect=expected_version(path, expect), propose=propose)
    where = say(commit.lang, "pen.in-section", section=section)
    return commit.outcome(say(commit.lang, "pen.section-replaced", path=path, section=where), path)


def _ask(commit: ChangeRequest, path: str, document: Document, edits: Sequence[Edit], left: Sequence[Entry]) -> None:
    """Require confirmation if a section loses several entries that the new text neither contains nor nearly repeats.

    Raises:
        ConfirmError: not confirmed.
    """
    pen, least = commit.config.settings.pen, commit.config.settings.lint.near_duplicate
    if commit.gate.confirm is True or len(left) < _SEVERAL:
        return
    after, known = edited_document(document, edits), {one.text for one in document.entries}
    fresh = [one.text for one in after.entries if one.text not in known]
    lost = [text for text in no_longer_said(left, after.text) if not is_near_duplicate_of_any(text, fresh, least)]
    section = owner(document, left[0])
    count = len(section.entries) if section else len(document.entries)
    if len(lost) >= pen.shrink_entries or (len(lost) >= _SEVERAL and len(lost) > pen.shrink_ratio * count):
        commit.gate.ask("pen.section-loses", path, document.text, after.text, count=count, gone=len(lost))


def _outer(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries that are not nested in another of them."""
    return [one for one in entries if not any(other is not one and other.span.holds(one.span) for other in entries)]


def edit_text(commit: ChangeRequest, path: str, old: str, new: str, expect: str | bytes | None) -> Outcome:
    """Replace one text by another; see `Workspace.edit`."""
    path = commit.path(path)
    if not old:
        commit.access.stop(UsageError, "pen.empty-text")
    require_text(commit, new)

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        with translated_errors(commit, path, "text"):
            intent = exact(document, old, new)
        commit.note(path, *intent.notes)
        return {path: intent.edits}

    commit.run(change, expect=expected_version(path, expect), propose=propose, paths=(path,))
    return commit.outcome(say(commit.lang, "pen.edited", path=path), path)


def write_file(commit: ChangeRequest, path: str, content: str, expect: str | bytes | None) -> Outcome:
    """Create or overwrite a file; see `Workspace.write`."""
    path = commit.path(path)
    require_text(commit, content)
    if not commit.exists(path):
        commit.new(path)
    text = content

    def change(files: DraftFiles) -> Edits:
        nonlocal text
        document = files[path]
        if document is None:
            _may_begin(commit, path, content)
        text = _in_file_format(document, content)
        return {path: smallest(document.text if document else "", text)}

    commit.run(change, expect=expected_version(path, expect), propose=propose, paths=(path,))
    message = say(commit.lang, "pen.wrote", path=path, bytes=len(text.encode("utf-8", "surrogateescape")))
    return commit.outcome(message, path, *_gone(commit, path))


def _gone(commit: ChangeRequest, path: str) -> list[str]:
    """Return a hint that names the lines which a whole-file write has removed: its writer may not have seen them."""
    before, after = commit.gate.steps.get(path, (None, None))
    if before is None or after is None:
        return []
    gone = no_longer_said(before.entries, after.text)
    most = commit.config.settings.store.list
    lines = "\n".join(f"- {mask(one_line(text))}" for text in gone[:most])
    return [say(commit.lang, "pen.write-removed", count=len(gone), lines=lines)] if gone else []


def _may_begin(commit: ChangeRequest, path: str, content: str) -> None:
    """Refuse to create a file that its kind does not allow, or without an entry."""
    template = commit.template(path, parse(content.encode()))
    commit.new(path)
    if template and template.create == "never":
        commit.access.stop(RefusedError, "pen.never-made", path)
    if not content.strip() or (template and template.create == "on-first-write" and _is_form(content, template)):
        commit.access.stop(RefusedError, "pen.no-entry", path)


def _is_form(content: str, template: Template) -> bool:
    """Return whether a text has only headings, comments and text of the template."""
    document = parse(content.encode())
    template_lines = {line.strip() for line in template.text.splitlines()}
    blocks = [block for block in document.blocks if block.kind not in ("heading", "html", "rule")]
    return all(block.span.of(document.text).strip() in template_lines for block in blocks)


def _in_file_format(document: Document | None, content: str) -> str:
    """Return a text with the byte order mark and the line endings of the file it replaces."""
    if document is None or not document.text:
        return content
    mark = "\ufeff" if document.text.startswith("\ufeff") and not content.startswith("\ufeff") else ""
    ending = document.lines.ending
    if ending == "\n" or "\r" in content:
        return mark + content
    return mark + content.replace("\n", ending)


def delete_file(commit: ChangeRequest, path: str, expect: str | bytes | None) -> Outcome:
    """Delete a file and archive its entries; see `Workspace.delete`."""
    path = commit.path(path)
    commit.may_move(path)
    confirm = commit.gate.confirm

    def change(files: DraftFiles) -> Edits:
        document = commit.document(files, path)
        archiving = archive_file(commit, files, path, document)
        commit.gate.confirm = confirm
        if any(archiving.values()):
            commit.gate.ask("pen.file-loses", path, document.text, count=len(document.entries))
        commit.gate.confirm = True  # one question is enough
        return {path: None, **archiving}

    commit.run(change, expect=expected_version(path, expect))
    return commit.outcome(say(commit.lang, "pen.deleted", path=path), path, say(commit.lang, "pen.deleted.hint"))


@dataclass(frozen=True, slots=True)
class InitResult:
    """The files that were written, that exist already, and that are created with their first entry."""

    written: tuple[str, ...]
    kept: tuple[str, ...]
    later: tuple[str, ...]
    purposes: Mapping[str, str]  # what belongs in each file, in one line


def init(config: WorkspaceConfig) -> InitResult:
    """Write `mdmem.toml` and each file whose template says `create: on-init`, unless a file of its kind exists."""
    texts = {SETTINGS_FILE: f'lang = "{config.lang}"\n'}
    purposes = {SETTINGS_FILE: say(config.lang, "pen.settings-purpose")}
    kept: list[str] = []
    later: list[str] = []
    for kind in config.schemas.kinds:
        template = config.schemas.get(kind)
        if template is None or template.create == "never":
            continue
        name = kind_file(config.root, template)
        purposes[name] = purpose(template)
        if os.path.lexists(os.path.join(config.root, name)):
            kept.append(name)
        elif template.create == "on-init":
            texts[name] = template.text
        else:
            later.append(name)
    kept += [name for name in texts if os.path.lexists(os.path.join(config.root, name))]
    new = {name: text for name, text in texts.items() if name not in kept}
    written = _write(config, new) if new else ()
    return InitResult(written, tuple(kept), tuple(later), purposes)


def purpose(template: Template) -> str:
    """Return what belongs in the files of a kind: the first sentence of the comment below the template's title."""
    document = template.document
    first = min((section.heading.start for section in document.sections if section.level > 1), default=None)
    above = (one.text for one in document.comments if first is None or one.span.start < first)
    comment = " ".join(next(above, "").split())
    ends = [at + 1 for mark in ("。", ". ") if (at := comment.find(mark)) >= 0]
    return comment[: min(ends, default=len(comment))].rstrip("。.")


def _write(config: WorkspaceConfig, texts: Mapping[str, str]) -> tuple[str, ...]:
    """Write new files as one change; skip files that exist by then."""
    written: list[str] = []

    def change(files: DraftFiles) -> Edits:
        written[:] = [name for name in texts if files[name] is None]
        return {name: (Edit.insert(0, texts[name]),) for name in written}

    try:
        os.makedirs(config.root, mode=0o700, exist_ok=True)
    except OSError as error:
        raise WriteError(
            "could not be created: {reason}", path=os.path.basename(config.root), facts={"reason": error.strerror}
        ) from error
    config.pen().commit(change, actor="user", reason="init", paths=tuple(texts))
    return tuple(written)
