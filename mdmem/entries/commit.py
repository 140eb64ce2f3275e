"""Runs one change through policy checks and approval, commits it, and builds the `Outcome`."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.edits import EditNote
from mdmem.entries.edits.content import content
from mdmem.entries.gate import Gate
from mdmem.entries.model import Outcome, OutcomeStatus, diff
from mdmem.entries.tombstones import PATH
from mdmem.errors import RefusedError, TargetError, UsageError, VerificationError
from mdmem.formats.limits import section_fills, size
from mdmem.formats.session import is_text
from mdmem.formats.template import EntryRule, SectionSpec, Template
from mdmem.linter.detect.relative_dates import is_dated
from mdmem.linter.detect.small_talk import is_diary, is_small_talk, speaker_labels
from mdmem.linter.masking import mask
from mdmem.linter.runner import lint_subject
from mdmem.linter.worker import LintWorker
from mdmem.messages.catalog import say
from mdmem.store.history.versions import Transaction, new_id
from mdmem.store.root import Root
from mdmem.store.transaction import Change, DraftFiles, Edits, Expected, NotLocked, Programs
from mdmem.text.document import Document, Entry, Section, parse
from mdmem.text.edit import Diagnostic, apply_edits
from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern


class PendingConfirmation(NamedTuple):
    """A change that may not be made yet: the inbox in which it waits, and the message about it."""

    path: str
    key: str  # the key of the message
    facts: Mapping[str, object]


def note_texts(note: EditNote) -> tuple[str, ...]:
    """Return the texts that a note is about."""
    texts = note.facts.get("texts", (note.facts.get("text"),))
    return tuple(map(str, texts)) if isinstance(texts, tuple) else ()


def expected_version(path: str, expect: str | bytes | None) -> dict[str, Expected]:
    """Return the base of a change: the digest or the bytes of what the caller saw, "" for no file; None for any."""
    return {} if expect is None else {path: None if expect == "" else expect}


class ChangeRequest:
    """One change by one actor. The callback may run several times; each run starts with empty notes."""

    def __init__(
        self,
        config: WorkspaceConfig,
        verb: str,
        actor: str,
        reason: str,
        *,
        confirm: bool | int = False,
        whole: bool = False,
        dry_run: bool = False,
        planned: dict[str, Document | None] | None = None,
    ) -> None:
        """Bind to a change.

        Several changes of one dry run share `planned`: each begins with what those before it would leave.

        Raises:
            UsageError: the actor's name is invalid.
            RefusedError: the reason contains what the log must not keep.
        """
        self.config, self.dry_run, self.reason = config, dry_run, reason or verb
        self._planned = {} if planned is None else planned
        self.access = AccessPolicy(config, actor)
        self.gate = Gate(self.access, confirm=confirm, whole=whole)
        self.important = False  # the caller says that small talk is worth remembering
        self.again = False  # the caller says that what an entry says already is to be written once more
        self.notes: list[tuple[str, EditNote]] = []  # each with the path of its file
        self.id = new_id(dt.datetime.now().astimezone())  # of the transaction that this change will be
        self.undoes = ""  # the id of the transaction that this change undoes
        self.waiting: PendingConfirmation | None = None
        self.transaction: Transaction | None = None
        self.fit(reason)

    @property
    def lang(self) -> str:
        """Return the language of replies."""
        return self.access.lang

    def fit(self, text: str) -> None:
        """Refuse a reason or a name with a secret, an instruction or a forgotten text, because the log keeps both."""
        if found := self.gate.unfit_name(text):
            self.access.stop(RefusedError, "pen.refused-words", message=found.message)
        if text and not self.gate.is_allowed("", text):
            self.access.stop(RefusedError, "pen.forgotten-words")

    def path(self, path: str) -> str:
        """Return a file's path, if this actor may change it.

        Only the user changes the inbox and artifacts; no agent changes a compiled text, which stands in for its source.
        """
        path = self.access.reach(self.config.whose.written(path))
        if self.access.kind(path) == "inbox" and not self.access.is_person:
            self.access.stop(RefusedError, "pen.inbox-user", path)
        if self.access.kind(path) == "artifact" and not self.access.is_person:
            self.access.stop(RefusedError, "pen.evidence", path)
        if self.access.kind(path) == "compiled" and not (self.access.is_person or self.access.actor == KEEPER):
            self.access.stop(RefusedError, "pen.compiled", path)
        return path

    def new(self, path: str) -> None:
        """Refuse a name that a new file may not have, or that contains forbidden text."""
        self.access.creatable(path)
        self.fit(path)

    def target(self, path: str) -> str:
        """Return the path of a file that is changed or made; as `path` and `new`."""
        path = self.path(path)
        if not self.exists(path):
            self.new(path)
        return path

    def may_move(self, path: str) -> None:
        """Refuse to move the archive, and files that need approval: a proposal could not show the move."""
        archived = self.access.kind(path) == "archive" and not self.access.is_person
        if archived or self.access.waits(path):
            self.access.stop(RefusedError, "pen.only-user", path)

    def exists(self, path: str) -> bool:
        """Return whether a path exists; checked before a lock is taken, so that a refused name creates none."""
        return self._planned.get(path) is not None or os.path.lexists(os.path.join(self.config.root, path))

    def document(self, files: DraftFiles, path: str) -> Document:
        """Return the document at a path; raises TargetError if there is none."""
        found = files[path]
        if found is None:
            self.access.missing(path)
        return found

    def template(self, path: str, document: Document | None) -> Template | None:
        """Return the template of a file."""
        return self.access.template(path, document)

    def note(self, path: str, *notes: EditNote) -> None:
        """Record facts to report about a file."""
        self.notes += [(path, note) for note in notes]

    def run(
        self,
        change: Change,
        *,
        expect: Mapping[str, Expected] | None = None,
        propose: Callable[[ChangeRequest, DraftFiles, Edits], Edits] | None = None,
        paths: Sequence[str] = (),
        programs: Programs | None = None,
    ) -> Transaction | None:
        """Make the change; `propose` turns changes that need approval into entries of the inbox.

        `paths` are files that it will ask for: they are locked together instead of one after another. `programs` are
        files that are executable afterwards or not, or as another one was.
        """

        def attempt(files: DraftFiles) -> Edits:
            self.notes.clear()
            self.waiting = None
            try:
                made = change(files)
            except TargetError as error:
                raise files.unread() or error from error
            edits = {path: own for path, own in made.items() if own is None or own}
            return propose(self, files, edits) if propose else edits

        watched = self.gate.watch(attempt)
        if self.dry_run:
            self._plan(watched, expect or {}, paths)
        else:
            pen = self.config.pen(self.gate.check)
            self.transaction = pen.commit(
                watched,
                actor=self.access.actor,
                reason=self.reason,
                expect=expect,
                undoes=self.undoes,
                name=self.id,
                paths=paths,
                programs=programs,
                any_size=bool(self.gate.as_they_came),
            )
        self.config.cache.save(complete=False)  # the settings and templates that were read
        return self.transaction

    def _plan(self, change: Change, expect: Mapping[str, Expected], paths: Sequence[str]) -> None:
        """Check what the change would do, without a lock and without writing."""
        with Root(self.config.root) as root:
            locked = frozenset(map(root.resolve, paths))
            while True:
                any_size = bool(self.gate.as_they_came)
                files = DraftFiles(root, locked, set(), self.config.settings, expect, self._planned, any_size=any_size)
                try:
                    edits = change(files)
                    break
                except NotLocked as wanted:
                    locked |= {wanted.path}
            for path, own in edits.items():
                before = files[path]
                text = before.text if before else ""
                made = None if own is None else parse(apply_edits(text, own).encode("utf-8", "surrogateescape"))
                self.gate.check(path, before, own or (), made)
                self._planned[root.resolve(path)] = made

    def outcome(self, message: str, path: str, *hints: str) -> Outcome:
        """Build the outcome; `message` is for a change that was made as requested."""
        steps = self.gate.steps
        changed = bool(steps)
        status: OutcomeStatus = "waiting" if self.waiting else "done" if changed else "unchanged"
        facts = {"path": path}
        if self.waiting:
            path, key, waits = self.waiting
            done = message if facts["path"] in steps else ""
            message, hints = say(self.lang, key, **waits), (say(self.lang, f"{key}.hint", **waits), done, *hints)
        if not (changed or self.waiting):  # notes about a text that was not written are dropped
            self.notes = [(name, note) for name, note in self.notes if note.kind == "duplicate"]
            message = say(self.lang, "pen.unchanged", **facts)
        messages = list(
            dict.fromkeys(
                filter(None, (*hints, *self._note_messages(), *self._forgotten_messages(), *self._pending_messages()))
            )
        )
        if status == "unchanged" and self.notes:
            message = messages.pop(0)
        if self.dry_run and changed:
            status, message = "planned", say(self.lang, "pen.planned", message=message)
        before, after = ({name: step[side] for name, step in steps.items()} for side in (0, 1))
        hint = say(self.lang, "punctuation.clause").join(messages)
        findings = tuple(self._diagnostics())
        return Outcome(status, message, hint, path, self.transaction, diff(before, after), findings)

    def _note_messages(self) -> Iterator[str]:
        for path, note in self.notes:
            facts = {"count": len(note_texts(note)), "path": path, **note.facts}
            kind = note.kind
            if kind == "duplicate":
                kind = "said" if facts.get("said") else kind if facts["line"] else "duplicate-here"
            if kind not in ("unchanged", "removed", "full") and not self._has_its_marker(path, note):
                yield say(self.lang, f"pen.{kind}", **facts)
            if kind in ("said", "duplicate"):
                yield say(self.lang, "pen.again" if self.access.is_person else "pen.again-agent")

    def _has_its_marker(self, path: str, note: EditNote) -> bool:
        """Return whether a text whose list marker was dropped got the same one in the file."""
        step = self.gate.steps.get(path)
        if note.kind != "unmarked" or not step or not step.after:
            return False
        return note.facts["given"] in {line.strip() for line in step.after.text.splitlines()}

    def _forgotten_messages(self) -> Iterator[str]:
        """Yield a message if a person writes a forgotten text again."""
        if stones := self.gate.recalled:
            yield say(self.lang, "pen.recalled", day=min(stone.day for stone in stones), path=PATH)

    def _pending_messages(self) -> Iterator[str]:
        """Yield a message per section and file that this change fills up to the keeper's threshold (F033, P029)."""
        for path, (before, after) in self.gate.steps.items():
            template = self.template(path, after) if after else None
            if after is None or template is None:
                continue
            old = {fill.spec.name for fill in section_fills(before, template) if fill.pending} if before else set()
            for fill in section_fills(after, template):
                if fill.pending and fill.spec.name not in old:
                    most = fill.spec.entries.max or fill.spec.entries.compact_at
                    yield say(self.lang, "pen.pending", section=fill.spec.name, count=fill.number, max=most)
            most, ratio = template.file.max_chars, template.file.warn_ratio
            if most and ratio and size(after).chars >= most * ratio > (size(before).chars if before else 0):
                yield say(self.lang, "pen.near-limit", path=path, chars=size(after).chars, max=most)

    def _diagnostics(self) -> Iterator[Diagnostic]:
        """Yield the errors and warnings in the files touched."""
        settings = self.config.settings.lint
        judge = LintWorker(self.config, (settings.select, settings.ignore))
        for path, (_, after) in sorted(self.gate.steps.items()):
            if after is not None:
                found = lint_subject(self.gate.subject(path, after), judge.rules, self.lang)
                yield from (one for one in found if one.severity != "note")


class PreparedEntry(NamedTuple):
    """A caller's texts as entry lines, with notes about what was changed in them."""

    texts: tuple[str, ...]
    notes: tuple[EditNote, ...]


def prepare_entry(
    commit: ChangeRequest, path: str, texts: Sequence[str], rule: EntryRule, *, dated: bool
) -> PreparedEntry:
    """Return texts as entry lines, each with today's date if the kind requires one and it has none (P023).

    Raises:
        UsageError: a text is empty, or not valid Unicode.
        RefusedError: a text is longer than its section allows.
    """
    lines: list[str] = []
    notes: list[EditNote] = []
    for text in texts:
        _require_content(commit, text)
        commit.gate.raw(path, text)
        made = content(text, {}, EntryRule())
        line = made.text
        notes += made.notes
        if rule.dated and not dated and not is_dated(line):
            box = read_entry(line).checkbox
            begin = len(line) - len(line[box.end :].lstrip()) if box else 0
            day = commit.config.day + say(commit.lang, "punctuation.colon")
            line = f"{line[:begin]}{day}{line[begin:]}"
            notes.append(EditNote("dated", {"day": commit.config.day}))
        if rule.max_chars is not None and len(line) > rule.max_chars:
            commit.access.stop(RefusedError, "pen.too-long", path, chars=len(line), max=rule.max_chars)
        lines.append(line)
    if not lines:
        commit.access.stop(UsageError, "pen.empty-text")
    return PreparedEntry(tuple(lines), tuple(notes))


def worth_remembering(commit: ChangeRequest, path: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the texts that an agent may add: without small talk and diary lines, unless it is important (P026, P045).

    A person and the keeper add what they like; lint tells a person.

    Raises:
        RefusedError: a text repeats a conversation, or merges several lines into one entry (P024, P045).
    """
    settings = commit.config.settings.lint
    if commit.access.is_person or commit.access.actor == KEEPER:
        return tuple(texts)
    for text in texts:
        if len(speaker_labels(text, settings.speakers)) > 1:
            commit.access.stop(RefusedError, "pen.transcript")
        if sum(1 for line in _CERTIFICATE.sub("…", text).splitlines() if line.strip()) >= settings.merged_lines:
            commit.gate.raw(path, text)  # of pasted output, that is what to say
            commit.access.stop(RefusedError, "pen.merged-lines", most=settings.merged_lines - 1)
    if commit.important:
        return tuple(texts)
    return tuple(
        text
        for text in texts
        if not (is_small_talk(text, settings.small_talk, settings.fillers) or is_diary(text, settings))
    )


def require_text(commit: ChangeRequest, text: str) -> None:
    """Refuse a text with lone surrogates, which UTF-8 cannot encode; raises UsageError."""
    if not is_text(text):
        commit.access.stop(UsageError, "pen.not-text")


def _require_content(commit: ChangeRequest, text: str) -> None:
    require_text(commit, text)
    if not text.strip():
        commit.access.stop(UsageError, "pen.empty-text")


def owner(document: Document, entry: Entry) -> Section | None:
    """Return the section of an entry."""
    return next((section for section in document.sections if entry in section.entries), None)


def rule_of(template: Template | None, section: Section | SectionSpec | None) -> EntryRule:
    """Return the entry rule of a section."""
    if template is None:
        return EntryRule()
    return section.entries if isinstance(section, SectionSpec) else template.rules(section)


_CERTIFICATE = pattern(  # one value, which programs write in lines
    r"-----BEGIN (?P<what>[A-Z0-9 ]{0,20}CERTIFICATE(?: REQUEST)?)-----[A-Za-z0-9+/=\s]{1,20000}+"
    r"-----END (?P=what)-----"
)

_KEYS = {  # what was searched, and the number of matches (none, one, several) → the message and its hint
    ("section", 0): ("pen.which-section", "pen.sections.hint"),
    ("entry", 0): ("pen.no-entry-found", "pen.entries.hint"),
    ("entry", 1): ("pen.vague-entry", "pen.entries.hint"),
    ("entry", 2): ("pen.many-entries", "pen.entries.hint"),
    ("text", 0): ("pen.no-match", "pen.no-match.hint"),
    ("text", 2): ("pen.many-matches", "pen.many-matches.hint"),
}


@contextmanager
def translated_errors(commit: ChangeRequest, path: str, what: str, name: str = "") -> Iterator[None]:
    """Translate errors about a `section`, an `entry` or a `text` into the workspace's language.

    Args:
        commit: the change.
        path: the file.
        what: what was searched.
        name: one of several names, for the error that nothing matches it.
    """
    lang = commit.lang
    try:
        yield
    except TargetError as error:
        key, hint = _KEYS[what, min(error.count, 2)]
        line = error.candidates[0].partition(":")[0] if error.candidates else ""
        if key == "pen.no-match" and line:
            key = "pen.no-match-near"
        if key == "pen.no-entry-found" and name:
            key = "pen.no-entry-named"
        message = say(lang, key, path=path, name=mask(" ".join(name.split())), count=error.count, line=line)
        meant = say(lang, "pen.did-you-mean", name=error.near) if error.near else ""
        names = say(lang, "punctuation.list").join(error.candidates)
        advice = meant + say(lang, hint, names=names)
        raise TargetError(
            message, hint=advice, candidates=error.candidates, count=error.count, near=error.near
        ) from error
    except VerificationError as error:
        raise VerificationError(say(lang, "pen.swallowed", path=path), hint=say(lang, "pen.swallowed.hint")) from error
