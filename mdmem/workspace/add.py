"""The journey of a new memory: to the end of its section, once, dated; without room it waits in the inbox (law 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from mdmem.core.document import Document, Section
from mdmem.core.intent import add, find_section
from mdmem.core.template import SectionSpec, Template
from mdmem.errors import RefusedError, TargetError, UsageError
from mdmem.linter.dates import is_dated
from mdmem.store.draft import Edits, Files
from mdmem.workspace.commit import Commit, seen, texts_of
from mdmem.workspace.entry import ready, retold, rule_of
from mdmem.workspace.inbox import PROPOSALS, belongs, overflow, put, waiting
from mdmem.workspace.outcome import Outcome
from mdmem.workspace.words import say


def add_entries(
    commit: Commit,
    path: str,
    texts: Sequence[str],
    section: str | None,
    fields: Mapping[str, str] | None,
    expect: str | None,
) -> Outcome:
    """Add memories to a file; see `Workspace.add`."""
    path = commit.path(path)
    if isinstance(texts, str):
        commit.access.stop(UsageError, "empty-text")
    if not commit.there(path):
        commit.new(path)
    adding = _Adding(commit, path, tuple(texts), section, dict(fields or {}))
    commit.run(adding.change, expect=seen(path, expect))
    where = say(commit.lang, "in-section", section=adding.section) if adding.section else ""
    key = "added" if adding.count == 1 else "added-many"
    return commit.outcome(say(commit.lang, key, path=path, section=where, count=adding.count), path)


class _Adding:
    """One addition; `section` and `count` tell of its last try."""

    def __init__(
        self, commit: Commit, path: str, texts: Sequence[str], section: str | None, fields: Mapping[str, str]
    ) -> None:
        self.commit, self.path, self.texts, self.asked, self.fields = commit, path, texts, section, fields
        self.section, self.count = "", 0

    def change(self, files: Files) -> Edits:
        """Make the edits of the file, and of the inbox for what does not go there now."""
        commit, path = self.commit, self.path
        document = files[path]
        if document is not None:
            self._bounded(document)
        template = commit.template(path, document)
        if document is None:
            self._may_begin(template)
        with retold(commit, path, "section"):
            target = self._target(document, template)
            self.section = target.name if isinstance(target, SectionSpec) else target.title if target else ""
            dated = is_dated(path.rpartition("/")[2]) or is_dated(self.section)
            made = ready(commit, path, self.texts, rule_of(template, target), dated=dated)
            intent = add(document, template, made.texts, section=self.asked, fields=self.fields)
        commit.note(path, *made.notes, *intent.notes)
        full = next((note for note in intent.notes if note.kind == "full"), None)
        over = texts_of(full) if full else ()
        again = {text for note in intent.notes if note.kind == "duplicate" for text in texts_of(note)}
        self.count = len(made.texts) - len(over) - len(again)
        if commit.access.waits(path):
            commit.gate.examine(path, document, intent.edits)
            return self._wait(files, [text for text in made.texts if text not in again])
        return {path: intent.edits, **(overflow(commit, files, path, self.section, full) if full else {})}

    def _target(self, document: Document | None, template: Template | None) -> Section | SectionSpec | None:
        if self.asked is None:
            named = template.default if template and template.policy != "free" else ""
            return find_section(document, template, named) if named else None
        if template is not None and template.policy == "free":  # any section may be made
            with suppress(TargetError):
                return find_section(document, template, self.asked)
            return None
        return find_section(document, template, self.asked)

    def _bounded(self, document: Document) -> None:
        """Refuse a file of more lines than the linter looks for entries in, before it is parsed."""
        lines, most = len(document.lines), self.commit.config.settings.lint.max_lines
        if lines > most:
            self.commit.access.stop(RefusedError, "too-many-lines", self.path, lines=lines, max=most)

    def _may_begin(self, template: Template | None) -> None:
        """Let a file begin with its first entry, where its kind allows that (P044)."""
        if template is None:
            self.commit.access.stop(TargetError, "no-kind", self.path)
        if template.create == "never":
            self.commit.access.stop(RefusedError, "never-made", self.path)
        self.commit.new(self.path)

    def _wait(self, files: Files, texts: Sequence[str]) -> Edits:
        commit = self.commit
        if not texts:
            return {}
        commit.waiting = waiting(commit, self.path)
        return put(commit, files, texts, PROPOSALS, belongs(self.path, self.section), commit.access.actor, self.fields)
