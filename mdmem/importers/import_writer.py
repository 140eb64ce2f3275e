"""Writes records through the standing writers, batch by batch, and counts what became of each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from mdmem.attachments.edits import new_record
from mdmem.attachments.model import Attachment, AttachmentTexts
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.read import live_bytes
from mdmem.errors import MdmemError
from mdmem.extraction.stated_facts import StatedFacts
from mdmem.facts.edits import write_line
from mdmem.facts.model import FactChange, NewFact
from mdmem.facts.read import fact_words, in_words
from mdmem.facts.service import fact_files, write_facts
from mdmem.formats.fact_words import FactWords
from mdmem.formats.paths import within_user
from mdmem.importers.conversations import SessionMaker
from mdmem.importers.episode_import import EpisodeImport
from mdmem.importers.headers import with_readable_header
from mdmem.importers.import_context import ACTOR, ImportContext
from mdmem.importers.line_writer import LineWriter
from mdmem.importers.model import (
    ImportedAttachment,
    ImportedCopy,
    ImportedEpisode,
    ImportedFact,
    ImportedFile,
    ImportedLine,
    ImportedSession,
    ImportProblem,
    ImportRecord,
    ImportTarget,
    is_unicode,
    with_whole_title,
)
from mdmem.importers.origins import ImportedUpTo, origins, turn_digest, up_to
from mdmem.importers.placing import MERGED, copied, free_names, merged_records
from mdmem.importers.readers.common import file_name, listed, moment, safe_path, text_of
from mdmem.importers.tally import kind_of
from mdmem.linter.masking import mask
from mdmem.sessions.service import slug
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.inline import one_line

_MARKS = 10  # bytes of the marker, the id and the end of a line
_USER = "user"  # whole files are the person's own: the command is their word
_SUBJECT_CHARS = 60
_TEXTS = ("description", "transcription", "extracted_text")  # of an attachment


class ImportWriter:
    """Writes the records of one import; `tally` says what became of each."""

    def __init__(self, config: WorkspaceConfig, system: str, target: ImportTarget, *, dry_run: bool) -> None:
        self._context = ImportContext(config, system, dry_run=dry_run)
        self._config, self._target, self._dry_run = config, target, dry_run
        self._say, self._commit, self.tally = self._context.say, self._context.commit, self._context.tally
        self._known = origins(config)
        self._taken = list[ImportRecord]()
        self._links = list[ImportedLine]()  # they wait for the files to which they link
        self._facts_taken = 0
        self._sessions = SessionMaker(config, ACTOR, dry_run=dry_run)
        self._new_paths = set[str]()  # names that this import has given to files
        self._lines = LineWriter(self._context)
        self._episodes = EpisodeImport(self._context, self._sessions, self._known)
        self._stated = StatedFacts(config)

    # --- one record

    def take(self, record: ImportRecord) -> None:
        """Take a record; batches of one kind are written together."""
        if self._taken and (type(record) is not type(self._taken[0]) or len(self._taken) >= self._batch(record)):
            self.flush()
        if isinstance(record, ImportedFile) and (lines := self._merged(record)) is not None:
            for line in lines:
                self.take(line)
            return
        if isinstance(record, ImportedFile) and record.path.endswith(".md"):
            record = replace(record, text=with_readable_header(record.text))
        self.tally.read += 1
        given, record = record, with_whole_title(record)
        if not isinstance(record, ImportedFile | ImportedCopy) and not is_unicode(record):
            self.tally.tell(record.place, kind_of(record), "refused", self._say("session.surrogate"))
            return
        self._episodes.see(record)
        if isinstance(record, ImportProblem):
            self.tally.tell(record.place, "problem", record.state, self._say(record.key, **record.facts))
        elif record.origin not in self._known.all:
            if record is not given:
                self.tally.remark(record, self._say("import.half-character"))
            if isinstance(record, ImportedFact):
                self._keep_fact(record)
            else:
                self._keep(record)
        elif isinstance(record, ImportedSession) and (known := self._known.conversations.get(record.origin)):
            self._go_on(record, known)
        else:
            self.tally.tell(record.place, kind_of(record), "duplicate", self._say("import.known"))

    def _keep(self, record: ImportRecord) -> None:
        if isinstance(record, ImportedSession):
            self._known.add(up_to(record.origin, record.turns, record.before))
        elif not isinstance(record, ImportProblem):
            self._known.add(record.origin)
        if isinstance(record, ImportedLine) and record.needs:
            self._links.append(record)
        else:
            self._taken.append(record)

    def _keep_fact(self, record: ImportedFact) -> None:
        """Take a fact, up to the limit: each is compared with those of its subject, so a run with more takes hours."""
        self._facts_taken += 1
        if self._facts_taken > (most := self._config.settings.imports.facts):
            self.tally.tell(record.place, "fact", "skipped", self._say("import.limit", max=most))
        else:
            self._keep(record)

    def _go_on(self, record: ImportedSession, known: ImportedUpTo) -> None:
        """Take what was said in a conversation since it was imported."""
        more = len(record.turns) - known.messages
        if more <= 0:
            self.tally.tell(record.place, kind_of(record), "duplicate", self._say("import.known"))
        elif turn_digest(record.turns[known.messages - 1]) != known.digest:
            self.tally.tell(record.place, kind_of(record), "skipped", self._say("import.changed", count=more))
        else:
            rest = record.turns[known.messages :]
            self._keep(replace(record, turns=rest, before=known.messages, started="", extracted=0))

    def _batch(self, record: ImportRecord) -> int:
        most = self._config.settings.imports.batch
        return max(1, most // 10) if isinstance(record, ImportedSession) else most

    def flush(self) -> None:
        """Write what was taken."""
        taken, self._taken = self._taken, []
        self._write([one for one in taken if isinstance(one, ImportedFact)], self._facts)
        self._write([self._with_episode(one) for one in taken if isinstance(one, ImportedLine)], self._lines.write)
        self._write([one for one in taken if isinstance(one, ImportedSession)], self._conversations)
        for one in taken:
            if isinstance(one, ImportedEpisode):
                self._write([one], self._episodes.write)
            elif isinstance(one, ImportedFile):
                self._write([one], self._files)
            elif isinstance(one, ImportedAttachment):
                self._write([one], self._attachments)
            elif isinstance(one, ImportedCopy):
                self._write([one], self._copies)

    def _with_episode(self, one: ImportedLine) -> ImportedLine:
        source = self._episodes.source(one.episode) if one.episode else ""
        return replace(one, text=f"{one.text} [episode:: {source}]") if source else one

    def _write(self, records, write) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
        """Write records together; where the whole is refused, write its halves, so that one keeps no other out."""
        if not records:
            return
        try:
            write(records)
        except MdmemError as error:
            if len(records) == 1:
                self.tally.tell(records[0].place, kind_of(records[0]), "refused", str(error))
                return
            half = len(records) // 2
            self._write(records[:half], write)
            self._write(records[half:], write)

    def verify(self) -> None:
        """Read the workspace again, and count what is not there as refused."""
        self.flush()
        self._link()
        if self._dry_run:
            return
        self._episodes.link()
        self.tally.verify(origins(self._config).all, self._say("import.not-there"))

    def _link(self) -> None:
        """Write the lines that link to a file, those whose file is there."""
        there = [one for one in self._links if one.needs in self._new_paths or self._document(one.needs) is not None]
        for one in self._links:
            if one not in there:
                self.tally.tell(one.place, kind_of(one), "skipped", self._say("import.no-target", path=one.needs))
        self._write(there, self._lines.write)

    def note(self, message: str) -> None:
        """Write the line of this import."""
        self._context.note(message)

    def _told(self, commit: ChangeRequest, one: ImportedFact) -> str:
        """Return why the value of a predicate may not be written, such as that of `password`; empty if it may."""
        made = self._statement(one)
        line = in_words(made.subject, made.predicate, made.text)
        found = commit.gate.unfit("facts/a.md", line) or commit.gate.unfit_name(made.predicate)
        self.tally.masked += bool(found and found.secret)
        return found.message if found else ""

    # --- facts

    def _facts(self, records: Sequence[ImportedFact]) -> None:
        commit = self._commit()
        expired, lasting = self._divided(records)
        fit: list[tuple[ImportedFact, NewFact]] = []
        refused: list[tuple[ImportedFact, str]] = []
        sizes: dict[str, tuple[str, int]] = {}
        for one in lasting:
            if why := self._unfit(commit, one, sizes):
                refused.append((one, why))
            else:
                fit.append((one, self._statement(one)))
        changes: tuple[FactChange, ...] = ()

        def change(files: DraftFiles) -> Edits:
            nonlocal changes
            edits, changes = write_facts(commit, files, [new for _, new in fit])
            known = [
                one.origin
                for (one, _), done in zip(fit, changes, strict=True)
                if done.decision in ("confirm", "retract") or done.waits
            ]
            return {
                **edits,
                **self._context.ledger(commit, files, [(origin, "facts") for origin in known]),
            }

        if fit:
            commit.run(change, paths=fact_files(self._config, [new for _, new in fit]))
        for one, why in refused:
            self.tally.tell(one.place, "fact", "refused", why)
        for (one, _), done in zip(fit, changes, strict=True):
            if done.id and not self._dry_run:
                self._episodes.wrote_fact(one.origin, f"{done.path}#{done.id}")
            if done.decision == "confirm":
                self.tally.tell(one.place, "fact", "duplicate", done.reason, done.path)
            else:
                self.tally.waiting += done.waits
                self.tally.done(one, "inbox.md" if done.waits else done.path)
        self._write(expired, self._lines.write)

    def _divided(self, records: Sequence[ImportedFact]) -> tuple[list[ImportedLine], list[ImportedFact]]:
        """Return lines for the archive of what has expired, and the other facts."""
        over = {one.origin for one in records if one.ended == "expires" and one.ended_at[:10] < self._config.day}
        expired = [
            ImportedLine(one.origin, one.place, "archive", one.text, date=one.date, why="expired", episode=one.episode)
            for one in records
            if one.origin in over
        ]
        return [self._with_episode(one) for one in expired], [one for one in records if one.origin not in over]

    def _unfit(self, commit: ChangeRequest, one: ImportedFact, sizes: dict[str, tuple[str, int]]) -> str:
        """Return why a fact may not be written; empty if it may."""
        template = self._config.schemas.get("facts")
        most = template.entries.max_chars if template else None
        why = self._context.unfit(commit, "facts/a.md", one.text, most) or self._told(commit, one)
        return why or self._full(self._statement(one), sizes)

    def _full(self, new: NewFact, sizes: dict[str, tuple[str, int]]) -> str:
        """Return that a fact's file has no room for it; empty if it may have. `sizes` has path and bytes by subject."""
        most = self._config.settings.lint.max_bytes
        if new.subject not in sizes:
            (path,) = fact_files(self._config, [new])
            sizes[new.subject] = path, len(live_bytes(self._config, path, most) or b"")
        path, size = sizes[new.subject]
        line = write_line(new, new.text, fact_words(self._config), self._config.lang)
        return self._say("import.full", path=path, max=most) if size + len(line.encode()) + _MARKS > most else ""

    def _statement(self, one: ImportedFact) -> NewFact:
        words = fact_words(self._config)
        given, text = one_line(one.predicate).strip(), one_line(one.text).strip()
        stated = None if given or one.ended else self._stated.find(text)
        subject = file_name(one.subject)[:_SUBJECT_CHARS].strip(" .")
        if not subject:
            is_users = stated is not None or self._stated.is_about_user(text)
            subject = words.user if is_users else self._say("import.unsorted")
        kind = stated.type if stated and one.type == "fact" else one.type
        predicate = given or (stated.predicate if stated else "") or self._say(f"import.predicate-{kind}")
        fields = {key: value for key, value in (one.fields or {}).items() if value}
        if one.ended == "superseded":
            fields["superseded"] = one.ended_at or one.date or self._config.day
        is_proposal = self._target == "inbox" or (self._target == "auto" and one.is_proposal)
        doubt = self._say("import.doubt", system=self._context.system) if is_proposal else ""
        # what the rules made of the words of a source does not replace what is known
        also = bool(one.ended or stated) or not _has_one_value(predicate, words)
        return NewFact(
            subject, predicate, text, kind, self._context.day(one.date), "", one.importance,
            one.confidence, one.priority, also=also, doubt=doubt, fields={**fields, "origin": one.origin},
            episode=self._episodes.source(one.episode) if one.episode else "",
        )  # fmt: skip

    # --- conversations, files, attachments

    def _conversations(self, records: Sequence[ImportedSession]) -> None:
        made = [(one, self._sessions.make(one)) for one in records]
        texts = {path: text for _, done in made for path, text in done.files.items()}

        def change(files: DraftFiles) -> Edits:
            return {path: (Edit.insert(0, text),) for path, text in texts.items() if files[path] is None}

        if texts and not self._dry_run:
            reason = self._say("import.reason", system=self._context.system)
            self._config.pen().commit(change, actor=ACTOR, reason=reason, paths=tuple(texts))
        for one, done in made:
            self.tally.masked += done.masked
            if done.files:
                for path in done.files:
                    self._episodes.wrote_session(one, path)
                self.tally.done(one, next(iter(done.files)))
            else:
                self.tally.tell(one.place, "session", "skipped", done.reason)

    def _merged(self, record: ImportedFile) -> list[ImportRecord] | None:
        """Return the entries of a file that is to be merged into one that is there; None if it is written whole."""
        record = self._at_home(record)
        template = self._config.schemas.match(record.path, parse(b""))
        if record.origin in self._known.all or template is None or template.kind not in MERGED:
            return None
        document = self._document(record.path)
        if document is None and record.path not in self._new_paths:
            self._new_paths.add(record.path)
            return None
        if document is not None and document.text in (record.text, template.text):
            return None
        return merged_records(self._config, record, template)

    def _at_home(self, record: ImportedFile) -> ImportedFile:
        """Return a file with the path at which the user has it."""
        return replace(record, path=self._config.whose.home(record.path))

    def _document(self, path: str) -> Document | None:
        if path in self._context.planned:
            return self._context.planned[path]
        data = live_bytes(self._config, path, self._config.settings.lint.max_bytes)
        return None if data is None else parse(data)

    def _files(self, records: Sequence[ImportedFile]) -> None:
        one = self._at_home(records[0])
        commit = self._commit(_USER, whole=True)
        before = self._sessions.masked
        text = self._sessions.clean(one.text) if within_user(one.path).startswith("sessions/") else mask(one.text)
        path = safe_path(mask(one.path))
        self.tally.masked += self._sessions.masked > before or (text, path) != (one.text, safe_path(one.path))
        if commit.access.tombstones.holds(text):
            self.tally.tell(one.place, "file", "refused", self._say("import.forgotten"))
            return
        names = chain((path,), free_names(one.instead)) if one.instead else free_names(path)
        path = next(name for name in names if self._is_free(name, text))
        commit.path(path)
        is_there = (old := self._document(path)) is not None and old.text == text

        def change(files: DraftFiles) -> Edits:
            document = files[path]
            if document is None:
                commit.new(path)
            old = document.text if document else ""
            if path == self._context.ledger_path:  # it notes itself
                noted = self._context.ledger(commit, {path: parse(text.encode())}, [(one.origin, path)])[path]
                return {path: smallest(old, apply_edits(text, noted or ()))}
            return {
                path: smallest(old, text),
                **self._context.ledger(commit, files, [(one.origin, path)]),
            }

        if is_there:
            ledger = self._commit()
            ledger.run(lambda files: self._context.ledger(ledger, files, [(one.origin, path)]))
            self.tally.tell(one.place, "file", "duplicate", self._say("import.present", path=path), path)
            return
        commit.run(change)
        self._new_paths.add(path)
        self.tally.done(one, path)

    def _is_free(self, path: str, text: str) -> bool:
        """Return whether a name may be used: no file has it, or one with this text, or with that of the template."""
        document = self._document(path)
        if document is None:
            return not (self._dry_run and path in self._new_paths)
        template = self._config.schemas.match(path, document)
        return document.text == text or (template is not None and document.text == template.text)

    def _attachments(self, records: Sequence[ImportedAttachment]) -> None:
        (one,) = records
        commit, before, template = self._commit(), self._sessions.masked, self._config.schemas.get("attachment")
        clean = self._sessions.clean
        given = {key: clean(value) if isinstance(value, str) else value for key, value in one.values.items()}
        assert template is not None, "the kind `attachment` is shipped"
        name = text_of(given.get("filename")) or text_of(given.get("original_filename")) or "file"
        size, linked = given.get("file_size"), tuple(map(self._episodes.fact, one.linked))
        created = moment(given.get("created_at")).replace("T", " ")[:16]
        tags = tuple(clean(text_of(tag)) for tag in listed(given.get("tags")) if text_of(tag))
        taken = free_names(self._config.whose.place(f"attachments/{slug(name, _SUBJECT_CHARS)}.md"))
        path = next(path for path in taken if not commit.exists(path) and path not in self._new_paths)
        self._new_paths.add(path)
        texts = AttachmentTexts(*(text_of(given.get(key)) for key in _TEXTS))
        self.tally.masked += self._sessions.masked > before
        record = Attachment(
            id=path.rpartition("/")[2].removesuffix(".md"), path=path, filename=one_line(name),
            original_filename=one_line(text_of(given.get("original_filename"))) or one_line(name),
            mime_type=text_of(given.get("mime_type")), file_size=size if isinstance(size, int) else None,
            direction="outbound" if given.get("direction") == "outbound" else "inbound",
            local_path=text_of(given.get("local_path")) or ("" if given.get("url") else name),
            url=text_of(given.get("url")),
            session=self._episodes.session_id(one.session) or text_of(given.get("session_id")),
            episode=self._episodes.source(one.episode) if one.episode else "", created_at=created,
            digest="", tags=tags, linked=linked, **texts._asdict(), origin=one.origin,
        )  # fmt: skip
        commit.path(path)
        commit.new(path)
        commit.run(lambda files: {path: new_record(template, record, texts)} if files[path] is None else {})
        self.tally.done(one, path)

    def _copies(self, records: Sequence[ImportedCopy]) -> None:
        (one,) = records
        path, ledger = self._commit(_USER).path(one.path), self._commit()
        is_new = copied(self._config, one, dry_run=self._dry_run)
        ledger.run(lambda files: self._context.ledger(ledger, files, [(one.origin, path)]))
        if is_new:
            self.tally.done(one, path)
        else:
            self.tally.tell(one.place, "copy", "duplicate", self._say("import.present", path=path), path)


def _has_one_value(predicate: str, words: FactWords) -> bool:
    """Return whether the template knows a property, and that it has one value: a newer one then replaces it."""
    return len(words.predicate_names(predicate)) > 1 and not words.is_many(predicate)
