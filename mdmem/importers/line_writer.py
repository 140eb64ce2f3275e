"""Writes imported lines into their files: by kind, section and day; what has no room or no section to the archive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from mdmem.entries.commit import ChangeRequest, note_texts
from mdmem.entries.edits import EditNote, add
from mdmem.entries.edits.content import contents
from mdmem.entries.edits.placement import edited_document, make_section
from mdmem.entries.kind_files import files_of
from mdmem.errors import TargetError
from mdmem.facts.edits import line_edits
from mdmem.formats.template import EntryRule, SectionSpec, Template
from mdmem.importers.import_context import ImportContext
from mdmem.importers.model import ImportedLine
from mdmem.linter.detect.relative_dates import is_dated
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry


class _Placed(NamedTuple):
    """A line with the file and the section that it goes to."""

    record: ImportedLine
    path: str
    section: str
    text: str
    why: str = ""


class _Unwritten(NamedTuple):
    """The lines that a file did not take."""

    again: list[_Placed]  # it says them already
    over: list[_Placed]  # their section has no room


class LineWriter:
    """Writes the lines of one import."""

    def __init__(self, context: ImportContext) -> None:
        """Bind to an import."""
        self._context, self._config = context, context.config

    def write(self, records: Sequence[ImportedLine]) -> None:
        """Write lines, those of a file as one change."""
        placed = sorted((self._place(one) for one in records), key=lambda one: one.path)
        for path, group in groupby(placed, key=lambda one: one.path):
            self._write_file(self._context.commit(), path, list(group))

    def _place(self, one: ImportedLine) -> _Placed:
        """Return where a line goes: by its kind and its day, the archive for what has no section any more."""
        archive = self._context.archive
        if one.kind == "daily":
            path = files_of(self._config, "daily")[0]
            return _Placed(one, f"{path.rpartition('/')[0]}/{one.date}.md", "", one.text)
        if one.kind == "archive":
            return _Placed(one, archive, "", one.text, one.why or "imported")
        path = files_of(self._config, one.kind)[0]
        template = self._config.schemas.get(one.kind)
        assert template is not None, "the kinds of lines are shipped"
        section = template.name(one.section) or (one.section if template.policy != "closed" else "")
        if one.section and (template.is_retired(one.section) or (template.policy == "closed" and not section)):
            return _Placed(one, archive, "", one.text, "retired")
        if template.entries.dated and not is_dated(one.text):
            day = self._context.day(one.date) or self._config.day
            box = read_entry(one.text).checkbox
            begin = len(one.text) - len(one.text[box.end :].lstrip()) if box else 0
            dated = f"{one.text[:begin]}{day}{self._context.say('punctuation.colon')}{one.text[begin:]}"
            return _Placed(one, path, section, dated)
        return _Placed(one, path, section, one.text)

    def _write_file(self, commit: ChangeRequest, path: str, lines: Sequence[_Placed]) -> None:
        """Write the lines of one file as one change; those for which its sections have no room go to the archive."""
        template, context = commit.template(path, None), self._context
        fit = list[_Placed]()
        for one in lines:
            rule = template.spec(one.section) if template else None
            most = (rule.entries if rule else template.entries).max_chars if template else None
            if why := context.unfit(commit, path, one.text, most):
                context.tally.tell(one.record.place, "line", "refused", why)
            else:
                fit.append(one)
        if not fit:
            return
        unwritten = _Unwritten([], [])

        def change(files: DraftFiles) -> Edits:
            nonlocal unwritten
            unwritten = _Unwritten([], [])
            document = first = files[path]
            if document is None:
                commit.new(path)
            for section, group in groupby(sorted(fit, key=lambda one: one.section), key=lambda one: one.section):
                document = _added(document, template, section, list(group), unwritten)
            edits: dict[str, Sequence[Edit] | None] = {}
            if document is not None and (first is None or document.text != first.text):
                edits[path] = line_edits(first.text if first else "", document.text)
            return {
                **edits,
                **self._overflow(commit, files, unwritten.over),
                **context.ledger(commit, files, _unmarked(fit, unwritten.over)),
            }

        commit.run(change)
        self._tell(path, fit, unwritten)

    def _tell(self, path: str, fit: Sequence[_Placed], unwritten: _Unwritten) -> None:
        tally, again, over = self._context.tally, _origins(unwritten.again), _origins(unwritten.over)
        for one in fit:
            if one.record.origin in again:
                reason = self._context.say("import.present", path=path)
                tally.tell(one.record.place, "line", "duplicate", reason, path)
            else:
                tally.done(one.record, self._context.archive if one.record.origin in over else path)

    def _overflow(self, commit: ChangeRequest, files: DraftFiles, lines: Sequence[_Placed]) -> Edits:
        if not lines:
            return {}
        archive = self._context.archive
        template, document = self._config.schemas.get("archive"), files[archive]
        texts = [
            f"{one.text} [from:: {one.path}#{one.section}] [why:: overflow] [archived:: {self._config.day}]"
            f" [origin:: {one.record.origin}]"
            for one in lines
        ]
        return {archive: add(document, commit.template(archive, document) or template, texts).edits}


def _added(
    document: Document | None, template: Template | None, section: str, lines: Sequence[_Placed], unwritten: _Unwritten
) -> Document | None:
    """Return a document with lines in one section; the newest of them where not all have room."""
    newest = lines[::-1]
    texts = [_marked(one) for one in newest]
    waiting: dict[str, list[_Placed]] = {}  # by the text of the entry: the newest of equal ones is written
    for made, one in zip(contents(texts, {}, EntryRule()), newest, strict=True):
        waiting.setdefault(made.text, []).append(one)
    base = document or parse(template.text.encode() if template else b"")
    notes: Sequence[EditNote] = ()
    try:
        notes = add(base, template, texts, section=section or None).notes
    except TargetError:  # the section will be made
        for group in waiting.values():
            unwritten.again.extend(group[1:])
            del group[1:]
    for note in notes:
        kept = {"duplicate": unwritten.again, "full": unwritten.over}.get(note.kind)
        if kept is not None:
            kept += [waiting[text].pop() for text in note_texts(note)]
    written = {one.record.origin for group in waiting.values() for one in group}
    left = [_marked(one) for one in lines if one.record.origin in written]
    if not left:
        return document
    try:
        edits: Sequence[Edit] = add(document, template, left, section=section or None).edits
    except TargetError:
        assert template is not None, "a file without a template takes any section"
        document = base
        spec = SectionSpec(section, 2, "", required=False, entries=template.entries)
        edits = (make_section(base, template, spec, left),)
    text = document.text if document else ""
    return edited_document(document or parse(b""), edits) if edits else parse(text.encode())


def _origins(lines: Sequence[_Placed]) -> set[str]:
    return {one.record.origin for one in lines}


def _marked(one: _Placed) -> str:
    """Return a line with its origin, where the file is one whose lines carry it."""
    if one.why:
        return f"{one.text} [why:: {one.why}] [origin:: {one.record.origin}]"
    return f"{one.text} [origin:: {one.record.origin}]" if one.record.kind == "daily" else one.text


def _unmarked(lines: Sequence[_Placed], over: Sequence[_Placed]) -> list[tuple[str, str]]:
    archived = _origins(over)
    return [
        (one.record.origin, f"{one.path}#{one.section}" if one.section else one.path)
        for one in lines
        if not one.why and one.record.kind != "daily" and one.record.origin not in archived
    ]
