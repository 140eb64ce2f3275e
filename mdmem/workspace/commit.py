"""Brings one change to the pen: through the gate, past whoever must say yes, and tells what it came to."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping

from mdmem.core.diagnostic import Diagnostic
from mdmem.core.document import Document, parse
from mdmem.core.edit import apply_edits
from mdmem.core.intent import Note
from mdmem.core.meters import fills, size
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.errors import RefusedError, TargetError
from mdmem.linter.run import lint_subject
from mdmem.store.draft import Change, Edits, Files, NotLocked
from mdmem.store.record import Transaction, new_id
from mdmem.store.root import Root
from mdmem.workspace.access import Access
from mdmem.workspace.config import Config
from mdmem.workspace.forgotten import PATH
from mdmem.workspace.gate import Gate
from mdmem.workspace.judge import Judge
from mdmem.workspace.outcome import Outcome, diff
from mdmem.workspace.words import say


class Waiting(NamedTuple):
    """What a change came to when it may not be made yet: the file that it would change, where it waits, and why."""

    path: str
    key: str  # of the sentence that says so
    facts: Mapping[str, object]


def texts_of(note: Note) -> tuple[str, ...]:
    """Give the texts that a note is about."""
    texts = note.facts.get("texts", (note.facts.get("text"),))
    return tuple(map(str, texts)) if isinstance(texts, tuple) else ()


def seen(path: str, expect: str | None) -> dict[str, str | None]:
    """Say which version the caller saw; an empty digest is «there was no such file», None is «whatever is there»."""
    return {} if expect is None else {path: expect or None}


class Commit:
    """One change by one actor; `change` may be tried several times, and each try begins with empty notes."""

    def __init__(
        self,
        config: Config,
        verb: str,
        actor: str,
        reason: str,
        *,
        confirm: bool = False,
        whole: bool = False,
        dry_run: bool = False,
    ) -> None:
        """Bind to a change.

        Raises:
            UsageError: the actor is no name.
            RefusedError: the reason holds what the log must not keep.
        """
        self.config, self.dry_run, self.reason = config, dry_run, reason or verb
        self.access = Access(config, actor)
        self.gate = Gate(self.access, confirm=confirm, whole=whole)
        self.notes: list[tuple[str, Note]] = []  # each with the file that it is about
        self.id = new_id(dt.datetime.now().astimezone())  # of the transaction that this change will be
        self.undoes = ""  # the id of the transaction that this change takes back
        self.waiting: Waiting | None = None
        self.transaction: Transaction | None = None
        self.fit(reason)

    @property
    def lang(self) -> str:
        """The language of replies."""
        return self.access.lang

    def fit(self, text: str) -> None:
        """Refuse a reason or a name that holds a secret, an order or what was forgotten: the log keeps both."""
        if found := self.gate.unfit("", text):
            self.access.stop(RefusedError, "refused-words", message=found.message)
        if text and not self.gate.may_stand("", text):
            self.access.stop(RefusedError, "forgotten-words")

    def path(self, path: str) -> str:
        """Give a file's path, if this actor may change it; what waits in the inbox is the user's to change."""
        path = self.access.reach(path)
        if self.access.kind(path) == "inbox" and not self.access.is_person:
            self.access.stop(RefusedError, "inbox-user", path)
        if self.access.kind(path) == "artifact" and not self.access.is_person:
            self.access.stop(RefusedError, "evidence", path)
        return path

    def new(self, path: str) -> None:
        """Refuse a name that no new file may have, or that tells what must not be told."""
        self.access.creatable(path)
        self.fit(path)

    def there(self, path: str) -> bool:
        """Tell whether there is anything at a path; asked before a lock, so that a refused name makes none."""
        return os.path.lexists(os.path.join(self.config.root, path))

    def document(self, files: Files, path: str) -> Document:
        """Give the document at a path; raises TargetError where there is none."""
        found = files[path]
        if found is None:
            self.access.stop(TargetError, "missing", path)
        return found

    def template(self, path: str, document: Document | None) -> Template | None:
        """Find what a file is held to."""
        return self.access.template(path, document)

    def note(self, path: str, *notes: Note) -> None:
        """Keep what the caller must be told about a file."""
        self.notes += [(path, note) for note in notes]

    def run(
        self,
        change: Change,
        *,
        expect: Mapping[str, str | None] | None = None,
        propose: Callable[[Commit, Files, Edits], Edits] | None = None,
    ) -> Transaction | None:
        """Make the change; `propose` turns what must wait into entries of the inbox."""

        def attempt(files: Files) -> Edits:
            self.notes.clear()
            self.waiting = None
            edits = {path: own for path, own in change(files).items() if own is None or own}
            return propose(self, files, edits) if propose else edits

        watched = self.gate.watch(attempt)
        if self.dry_run:
            self._plan(watched, expect or {})
        else:
            pen = self.config.pen(self.gate.judge)
            self.transaction = pen.commit(
                watched, actor=self.access.actor, reason=self.reason, expect=expect, undoes=self.undoes, name=self.id
            )
        self.config.cache.save(complete=False)  # the settings and templates that were read
        return self.transaction

    def _plan(self, change: Change, expect: Mapping[str, str | None]) -> None:
        """Judge what the change would do, without a lock and without a trace."""
        held: frozenset[str] = frozenset()
        with Root(self.config.root) as root:
            while True:
                files = Files(root, held, set(), self.config.settings, expect)
                try:
                    edits = change(files)
                    break
                except NotLocked as wanted:
                    held |= {wanted.path}
            for path, own in edits.items():
                before = files[path]
                text = before.text if before else ""
                made = None if own is None else parse(apply_edits(text, own).encode("utf-8", "surrogateescape"))
                self.gate.judge(path, before, own or (), made)

    def outcome(self, message: str, path: str, *hints: str) -> Outcome:
        """Tell what the change came to; `message` is for one that was made as asked."""
        steps = self.gate.steps
        changed = bool(steps)
        status = "waiting" if self.waiting else "done" if changed else "unchanged"
        facts = {"path": path}
        if self.waiting:
            path, key, waits = self.waiting
            done = message if facts["path"] in steps else ""
            message, hints = say(self.lang, key, **waits), (say(self.lang, f"{key}.hint", **waits), done, *hints)
        if not (changed or self.waiting):  # what was done to a text that nobody wrote is of no interest
            self.notes = [(name, note) for name, note in self.notes if note.kind == "duplicate"]
            message = say(self.lang, "unchanged", **facts)
        told = list(dict.fromkeys(filter(None, (*hints, *self._told(), *self._recalled(), *self._pending()))))
        if status == "unchanged" and self.notes:
            message = told.pop(0)
        if self.dry_run and changed:
            status, message = "planned", say(self.lang, "planned", message=message)
        before, after = ({name: step[side] for name, step in steps.items()} for side in (0, 1))
        hint = ("；" if self.lang == "zh" else "; ").join(told)
        found = tuple(self._standing())
        return Outcome(status, message, hint, path, self.transaction, diff(before, after), found)

    def _told(self) -> Iterator[str]:
        for path, note in self.notes:
            facts = {"count": len(texts_of(note)), "path": path, **note.facts}
            kind = "duplicate-here" if note.kind == "duplicate" and not note.facts["line"] else note.kind
            if kind not in ("unchanged", "removed", "full"):
                yield say(self.lang, kind, **facts)

    def _recalled(self) -> Iterator[str]:
        """Tell a person that this brings back what was forgotten."""
        if stones := self.gate.recalled:
            yield say(self.lang, "recalled", day=min(stone.day for stone in stones), path=PATH)

    def _pending(self) -> Iterator[str]:
        """Tell which sections and files this change has filled so far that they wait for the keeper (F033, P029)."""
        for path, (before, after) in self.gate.steps.items():
            template = self.template(path, after) if after else None
            if after is None or template is None:
                continue
            old = {fill.spec.name for fill in fills(before, template) if fill.pending} if before else set()
            for fill in fills(after, template):
                if fill.pending and fill.spec.name not in old:
                    most = fill.spec.entries.max or fill.spec.entries.compact_at
                    yield say(self.lang, "pending", section=fill.spec.name, count=fill.number, max=most)
            most, ratio = template.file.max_chars, template.file.warn_ratio
            if most and ratio and size(after).chars >= most * ratio > (size(before).chars if before else 0):
                yield say(self.lang, "near-limit", path=path, chars=size(after).chars, max=most)

    def _standing(self) -> Iterator[Diagnostic]:
        """Give the errors and warnings that now stand in the files touched."""
        settings = self.config.settings.lint
        judge = Judge(self.config, (settings.select, settings.ignore))
        for path, (_, after) in sorted(self.gate.steps.items()):
            if after is not None:
                found = lint_subject(self.gate.subject(path, after), judge.rules, self.lang)
                yield from (one for one in found if one.severity != "note")
