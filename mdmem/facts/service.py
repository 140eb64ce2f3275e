"""The namespace of facts: set, show, history and list; and the writer that other journeys call inside a change."""

# The plain way to add is imported for lines that are no statements.
from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from mdmem.config.inbox_sections import PROPOSALS
from mdmem.config.typed_calls import TypedCalls
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.commit import ChangeRequest, PendingConfirmation, expected_version, prepare_entry
from mdmem.entries.inbox.items import InboxItem, inbox_path, inbox_template
from mdmem.entries.inbox.proposals import target_label
from mdmem.entries.kind_files import files_of
from mdmem.entries.model import AfterChange, Outcome, as_it_is
from mdmem.errors import RefusedError, UsageError
from mdmem.facts.edits import FactFile, dated_statement, read_statement, title_of, with_fields, write_line
from mdmem.facts.inbox_lines import WaitingFact, proposal_edits
from mdmem.facts.model import Fact, FactChange, FactSubject, NewFact
from mdmem.facts.old_values import ReplacedValue, outdated_lines
from mdmem.facts.parts import FactPart, SubjectFacts
from mdmem.facts.read import (
    fact_template,
    fact_words,
    facts_in,
    file_of,
    first_part,
    further_parts,
    in_words,
    parts_of,
    stem,
    stored_facts,
)
from mdmem.facts.update import FactVerdict, SaidAt, unknown
from mdmem.formats.fact_words import KIND, FactWords
from mdmem.linter.detect.field_values import fits, meant
from mdmem.messages.catalog import say
from mdmem.store.history.versions import VersionStore
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits, Expected
from mdmem.text.document import Document
from mdmem.text.entry import read_entry, without_brackets
from mdmem.text.inline import one_line
from mdmem.text.similarity import comparison_key

_PROTECTED = ("rule", "permanent")  # type and priority of what only the user's word replaces
_WRITTEN = ("source", "confidence")  # fields that mdmem writes and a person rarely does


class FactEdits(NamedTuple):
    """The edits of several files, and what became of each statement."""

    edits: Edits
    changes: tuple[FactChange, ...]


class Facts(TypedCalls):
    """The namespace `Workspace.facts`: what is known of each subject, newest value first, and what it was before."""

    def __init__(self, config: WorkspaceConfig, after: AfterChange = as_it_is) -> None:
        """Bind to a workspace; `after` gets the outcome of each change."""
        self._config, self._after = config, after

    def __call__(self, subject: str | None = None, *, predicate: str = "", before: bool = False) -> tuple[Fact, ...]:
        """Return the facts about a subject, or about all, in the order of their files.

        Args:
            subject: as in `set`; None means every subject.
            predicate: only the lines of this predicate.
            before: the superseded lines too.

        Raises:
            MemoryOffError: memory is switched off.

        >>> [fact.text for fact in Workspace("workspace").facts("用户")]
        """
        return stored_facts(self._config, subject, predicate=predicate, before=before)

    def set(
        self,
        subject: str,
        predicate: str,
        text: str,
        *,
        type: str = "",  # noqa: A002 - published
        source: str = "",
        at: str = "",
        also: bool = False,
        importance: float | None = None,
        priority: str = "",
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Record what holds: a new line, or the update, confirmation or end of one that the file has.

        A value that was replaced moves to the older ones, with the day and the id of what replaced it. An agent's
        update of a rule, of a permanent line or of one that a person wrote by hand waits in the inbox.

        Args:
            subject: of whom or what; its aliases and the person's name name the same file.
            predicate: which of its properties; spelling and aliases do not matter.
            text: the whole statement, on one line.
            type: fact, preference, rule, skill, error or persona_trait; empty means fact.
            source: `chat:SESSION#round`, `tool:ID` or `file:PATH#Lx`.
            at: the day on which it was said, ISO 8601; empty means today. An older value goes to the older ones.
            also: it holds beside the other values.
            importance: 0 to 1.
            priority: transient, short_term, long_term or permanent.
            actor: as for `Workspace.add`.
            reason: as for `Workspace.add`.

        Raises:
            UsageError: predicate or text is empty, or a value is not what the template allows.
            RefusedError: the subject cannot be the name of a file; a text that the pen does not write.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").facts.set("riverlog", "插值", "缺口 2 小时以内插值", at="2026-02-19").message
        """
        item = NewFact(
            subject, predicate, text, type or "fact", at, source, importance, priority=priority, also=also
        )  # fmt: skip
        return self._after(set_facts(ChangeRequest(self._config, "fact-set", actor, reason), (item,)))

    def history(self, subject: str, predicate: str) -> tuple[Fact, ...]:
        """Return the values that a predicate had, the oldest first, and the live ones last.

        >>> [fact.text for fact in Workspace("workspace").facts.history("念念", "edits_with")]
        """
        found = self(subject, predicate=predicate, before=True)
        return tuple(sorted(found, key=lambda fact: (fact.live, fact.date)))

    def list(self) -> tuple[FactSubject, ...]:
        """Return the subjects of which facts are kept, with the numbers of their lines.

        >>> [(one.subject, one.now) for one in Workspace("workspace").facts.list()]
        """
        words, found = fact_words(self._config), []
        for path in files_of(self._config, KIND):
            if first_part(self._config, path, words) != path:
                continue
            parts = parts_of(self._config, path, words)
            facts, title = [fact for part in parts for fact in facts_in(self._config, part, words)], stem(path)
            now = sum(fact.live for fact in facts)
            found.append(FactSubject(facts[0].subject if facts else title, path, now, len(facts) - now))
        return tuple(found)


def set_facts(commit: ChangeRequest, statements: Sequence[NewFact], expect: Mapping[str, Expected] = {}) -> Outcome:
    """Record statements as one change; see `Workspace.facts.set`."""
    if commit.access.is_person:
        statements = [_as_said(commit.config, one) for one in statements]
    path = commit.target(file_of(commit.config, statements[0].subject, fact_words(commit.config)))
    changes: tuple[FactChange, ...] = ()

    def change(files: DraftFiles) -> Edits:
        nonlocal changes
        edits, changes = write_facts(commit, files, statements)
        return edits

    commit.run(change, expect=expect)
    outcome = commit.outcome("; ".join(dict.fromkeys(one.reason for one in changes)), path)
    return replace(outcome, message=changes[0].reason) if outcome.status == "unchanged" else outcome


def _as_said(config: WorkspaceConfig, item: NewFact) -> NewFact:
    """Return a statement of the person herself: unless it says otherwise, it is sure enough for the portrait."""
    if item.confidence is not None:
        return item
    least = fact_words(config).numbers.get("confidence", 0.5)
    return replace(item, confidence=max(least, config.settings.portrait.persona_confidence))


def fact_files(config: WorkspaceConfig, statements: Sequence[NewFact]) -> tuple[str, ...]:
    """Return the files that statements are written to, each once.

    Raises:
        RefusedError: a subject cannot be the name of a file.
    """
    words = fact_words(config)
    return tuple(
        dict.fromkeys(file_of(config, subject, words) for subject in dict.fromkeys(s.subject for s in statements))
    )


def write_facts(
    commit: ChangeRequest, files: DraftFiles, statements: Sequence[NewFact], said_at: SaidAt = unknown
) -> FactEdits:
    """Return the edits that record statements, and what became of each; called inside a change of the pen.

    An update that only the user may make, and a statement with a `doubt`, goes to the inbox instead; the edits then
    hold the inbox, and `commit.waiting` says so.

    Raises:
        UsageError: predicate or text is empty, or a value is not what the template allows.
        RefusedError: the subject cannot be the name of a file.
    """
    words = fact_words(commit.config)
    opened: dict[str, SubjectFacts] = {}
    changes: list[FactChange] = []
    waiting: list[WaitingFact] = []
    replaced: list[ReplacedValue] = []
    subjects = dict.fromkeys(one.subject for one in statements)
    named = {subject: commit.path(file_of(commit.config, subject, words)) for subject in subjects}
    for path in dict.fromkeys(named.values()):
        own = (one for one in statements if named[one.subject] == path)
        commit.gate.screen(path, [line for one in own for line in (one.text, *_worded(one, one.text))])
    for given in statements:
        path = named[given.subject]
        if path not in opened:
            opened[path] = _open(commit, files, path, given.subject, words)
        item = _checked(commit, path, given, words)
        decide = partial(opened[path].decide, item, commit.config.day, said_at)
        verdict = decide()
        waits = _waits(commit, files, item, verdict)
        if waits:
            waiting.append(_proposal(commit, files, path, item, verdict, words))
        ident = "" if waits else opened[path].apply(item, verdict, decide)
        path = opened[path].path
        if not waits and verdict.decision in ("update", "retract"):
            ends = verdict.decision == "retract"
            name = ident or next((one.key for one in verdict.lines), "")
            replaced.append(ReplacedValue(verdict.lines, item, f"{path}#{name}", ends))
        changes.append(_change(commit, given, path, verdict, ident, waits=waits))
    edits = {path: own for one in opened.values() for path, own in one.edits().items()}
    outdated = list(outdated_lines(commit.config, replaced, words)) if replaced else []
    return FactEdits({**edits, **proposal_edits(commit, files, waiting, outdated, replaced)}, tuple(changes))


def _open(commit: ChangeRequest, files: DraftFiles, path: str, subject: str, words: FactWords) -> SubjectFacts:
    """Return the facts of a subject, from all of its files."""
    config = commit.config
    parts = [FactPart(one, files[one]) for one in parts_of(config, path, words)]
    title = (title_of(parts[0].document) if parts[0].document else "") or one_line(subject).strip()

    def open_part(part: FactPart, full: Sequence[FactPart]) -> FactFile:
        document = files[part.path]
        template = commit.template(part.path, document) or fact_template(config)
        if document is None:
            if template.create == "never":
                commit.access.stop(RefusedError, "pen.never-made", part.path)
            commit.new(part.path)
        earlier = [(one.path, one.document) for one in full if one.document]
        lang = template.lang or commit.lang
        return FactFile(
            part.path, title, document, template, words, lang, by_person=commit.access.is_person, earlier=earlier
        )

    return SubjectFacts(parts, further_parts(config, path), open_part, config.settings.lint.max_bytes, words)


def _checked(commit: ChangeRequest, path: str, item: NewFact, words: FactWords) -> NewFact:
    """Return a statement as it is written: its day, its type as the template spells it, its text as one line."""
    access, template = commit.access, fact_template(commit.config)
    if not words.predicate(item.predicate):
        access.stop(UsageError, "fact.predicate")
    made = prepare_entry(commit, path, (item.text,), template.entries, dated=True)
    day, text = dated_statement(made.texts[0], item.date.strip(), commit.config.day)
    day = day or commit.config.day
    try:
        is_past = dt.date.fromisoformat(day) <= commit.config.today and "-" in day
    except ValueError:
        is_past = False
    if not is_past:
        access.stop(UsageError, "fact.day", name=day[:40])
    values = {"type": item.type, "priority": item.priority}
    for key, value in values.items():
        rule = template.entries.fields.get(key)
        if value and rule and not fits(value, rule):
            values[key] = meant(value, rule, template.parts)
            if not values[key]:
                access.stop(UsageError, "fact.choice", field=key, name=value[:40], names=", ".join(rule.choices))
    for name, share in (("importance", item.importance), ("confidence", item.confidence)):
        if share is not None and not 0 <= share <= 1:
            access.stop(UsageError, "fact.share", field=name, name=f"{share:g}")
    most = template.entries.max_chars
    if most is not None and len(item.predicate) > most:
        access.stop(RefusedError, "pen.too-long", path, chars=len(item.predicate), max=most)
    commit.note(path, *made.notes)
    if not text or not comparison_key(text):
        access.stop(UsageError, "pen.empty-text")
    _refuse_secret(commit, path, item, text)
    return replace(item, date=day, text=text, type=values["type"], priority=values["priority"])


def _refuse_secret(commit: ChangeRequest, path: str, item: NewFact, text: str) -> None:
    """Refuse a predicate that is a secret, and a value that its predicate or subject tells to be one."""
    if found := commit.gate.unfit_name(item.predicate):
        commit.gate.refuse(path, found)
    for line in _worded(item, text):
        commit.gate.raw(path, line)


def _worded(item: NewFact, text: str) -> tuple[str, ...]:
    """Return a statement as its predicate tells what a value is, and as its subject does: «router password»."""
    return tuple(in_words(item.subject, name, text) for name in (item.predicate, ""))


def _waits(commit: ChangeRequest, files: DraftFiles, item: NewFact, verdict: FactVerdict) -> bool:
    """Return True if only the user may carry out a decision."""
    if commit.access.is_person:
        return False
    if item.doubt and verdict.decision != "confirm":
        return True
    if verdict.decision not in ("update", "retract"):
        return False
    is_ruled = item.type == _PROTECTED[0] and item.old and not item.effect  # «in pounds, not euros»
    is_word = item.effect == "lift" or (item.by_user and (item.effect == "end" or is_ruled))  # the user's own
    return any(
        (one.type == _PROTECTED[0] and not is_word)
        or (one.priority == _PROTECTED[1] and not (is_word and item.effect != "lift"))
        or is_by_hand(files.root, one.path, one, files[one.path])
        for one in verdict.lines
    )


def is_by_hand(root: Root, path: str, fact: Fact, document: Document | None) -> bool:
    """Return True if a person wrote a line with an editor; what they set with mdmem may change as any fact does.

    The history is read from its end to the change that brought the line in. Where it does not reach back so far, a line
    with the fields that mdmem writes counts as mdmem's.
    """
    if document is None or fact.text not in document.text:
        return False  # it is new in this change
    history, place = VersionStore(root, 0), root.resolve(path)
    for change in history.log():
        file = next((one for one in change.files if one.path == place), None)
        if file is None:
            continue
        after, before = (history.read(digest) if digest else b"" for digest in (file.after, file.before))
        if after is None or before is None:
            break
        said = fact.text.encode("utf-8", "surrogateescape")
        if said not in after:
            return True  # it came in between this change and the one after it
        if said not in before:
            return False
    line = document.lines.text(fact.line - 1) if fact.line else ""
    return not any(f"[{key}::" in line for key in _WRITTEN)


def _change(
    commit: ChangeRequest, item: NewFact, path: str, verdict: FactVerdict, ident: str, *, waits: bool
) -> FactChange:  # fmt: skip
    keys = tuple(one.key for one in verdict.lines)
    is_open = verdict.decision == "ask"
    facts = {"subject": item.subject, "predicate": item.predicate, "path": path, "old": _quoted(verdict, item)}
    key = "fact.waits" if waits else f"fact.{verdict.decision}"
    replaced, near = ((), keys) if is_open else (keys, ())
    return FactChange(item, verdict.decision, path, ident, replaced, waits, say(commit.lang, key, **facts), near)


def _quoted(verdict: FactVerdict, item: NewFact, most: int = 60) -> str:
    text = verdict.lines[0].text if verdict.lines else item.text
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _proposal(
    commit: ChangeRequest, files: DraftFiles, path: str, item: NewFact, verdict: FactVerdict, words: FactWords
) -> WaitingFact:
    """Return the line of the inbox for a statement that must wait, and where it belongs."""
    document = files[path]
    template = commit.template(path, document) or fact_template(commit.config)
    line = write_line(item, item.text, words, template.lang or commit.lang)
    replaces = ""
    if verdict.lines and verdict.decision in ("update", "retract"):
        field = "ends" if verdict.decision == "retract" else "supersedes"
        line = f"{line} [{field}:: {verdict.lines[0].key}]"
        replaces = without_brackets(one_line(_quoted(verdict, item))).strip()
    if item.doubt:
        line = with_fields(line, {"why": without_brackets(one_line(item.doubt))})
    to = target_label(path, template.default)
    commit.gate.examine(path, document, ())
    inbox = inbox_path(commit.config)
    name = inbox_template(commit.config).name(PROPOSALS) or PROPOSALS
    commit.waiting = PendingConfirmation(
        inbox, "fact.waiting", {"path": path, "inbox": inbox, "waiting": name, "old": _quoted(verdict, item)}
    )
    return WaitingFact(line, to, replaces)


def are_statements(texts: Sequence[str], fields: Mapping[str, str]) -> bool:
    """Return True if each of the lines for a facts file names a predicate."""
    if isinstance(texts, str) or not texts:
        return False
    return bool(fields.get("predicate")) or all(read_entry(one_line(text)).field("predicate") for text in texts)


def add_lines(
    commit: ChangeRequest,
    path: str,
    texts: Sequence[str],
    section: str | None,
    fields: Mapping[str, str] | None,
    expect: str | bytes | None,
) -> Outcome:
    """Add lines to a facts file: those that name a predicate are statements; see `Workspace.add`."""
    if section is not None or not are_statements(texts, fields or {}):
        from mdmem.entries.service import add_entries

        return add_entries(commit, path, texts, section, fields, expect)
    path, fields = commit.path(path), fields or {}
    statements = [read_statement(stem(path), one_line(text), fields) for text in texts]
    return set_facts(commit, statements, expected_version(path, expect))


def accept_fact(commit: ChangeRequest, files: DraftFiles, path: str, item: InboxItem) -> Edits | None:
    """Return the edits of a waiting statement that the user accepts; None if the item is none.

    Raises:
        RefusedError: somebody else accepts it.
    """
    if item.change or commit.access.kind(path) != KIND or not are_statements((item.text,), {}):
        return None
    if not commit.access.is_person:
        commit.access.stop(RefusedError, "pen.inbox-user", inbox_path(commit.config))
    said = read_statement(stem(path), item.text, {})
    edits, (change,) = write_facts(commit, files, [said])
    if change.decision == "late":  # a newer value was said while it waited: it holds from the day of the user's word
        edits, _ = write_facts(commit, files, [replace(said, date=commit.config.day, source="")])
    return edits
