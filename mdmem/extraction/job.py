"""The rounds of one session on their way into facts: the question, the proof, and one change that also marks them."""

# What words and proves the answer of a model is imported when one is asked.
from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER, AccessPolicy
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.gate import Gate
from mdmem.entries.inbox.items import inbox_path
from mdmem.entries.inbox.proposals import earlier_proposals
from mdmem.entries.model import Outcome
from mdmem.entries.read import read_file
from mdmem.entries.tombstones import STRUCK
from mdmem.errors import ConflictError, RefusedError, UnreadableFileError, UsageError
from mdmem.extraction.answer.change_claims import ChangeClaims
from mdmem.extraction.known_values import KnownValue, is_new_version, known_values, statements, with_old_versions
from mdmem.extraction.model import Extraction, ExtractionTask, FactCandidate, Reason
from mdmem.extraction.rules import extract
from mdmem.extraction.said_days import said_days
from mdmem.extraction.since_said import RoundTimes, undo_private, without_deleted
from mdmem.extraction.withdrawals import Ending, corrected_text, end_statements
from mdmem.facts.model import Fact, FactChange, NewFact
from mdmem.facts.read import fact_words, stored_facts
from mdmem.facts.service import FactEdits, fact_files, write_facts
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, Turn, read_session
from mdmem.formats.session_edits import set_values
from mdmem.generation.model import PlanProblem
from mdmem.generation.prompt import prompt
from mdmem.messages.catalog import say
from mdmem.sessions.pasted_text import spoken_turns
from mdmem.sessions.read import template
from mdmem.sessions.sanitize import remembered_turns, sanitized_turns
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import parse
from mdmem.text.similarity import comparison_key
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.script import ScriptedText

PROMPT = "extract"
THROUGH = "extracted_through"
_FOLDER = "facts/x.md"  # a file of the facts kind, whose rules a statement is held to
_TOLD = {"new": "new", "beside": "new", "ask": "new", "confirm": "known"}  # the others are updates


class ShippedPatterns(NamedTuple):
    """The patterns that are shipped."""

    patterns: tuple[str, ...]
    lists: tuple[str, ...]


@lru_cache(maxsize=1)
def shipped_patterns(config: WorkspaceConfig) -> ShippedPatterns:
    """Return the patterns of `templates/patterns.toml`, and the words of their slots."""
    return ShippedPatterns(*config.shipped_rows("patterns.toml", *ShippedPatterns._fields))


def extraction_task(config: WorkspaceConfig, path: str, turns: Sequence[Turn], gate: Gate) -> ExtractionTask:
    """Return the task of extracting some turns with the words of a workspace."""
    own, words = config.settings, shipped_patterns(config)
    return ExtractionTask(
        path, tuple(turns), own.extract, ImportanceScorer(own.keeper, config.today),
        Splitter(own.sentences), lambda text: _unfit(gate, text), config.lang,
        own.extract.patterns + words.patterns, own.extract.lists + words.lists,
    )  # fmt: skip


class ExtractionJob:
    """The rounds of one session that wait, as they were read."""

    work = "extract"
    may_be_empty = True  # nothing worth remembering is an answer

    def __init__(self, config: WorkspaceConfig, session: Session, turns: Sequence[Turn]) -> None:
        """Bind to some rounds of a session; `turns` is not empty."""
        self.config, self.session, self.path, self.turns = config, session, session.path, tuple(turns)
        gate = Gate(AccessPolicy(config, KEEPER))
        earlier = [turn for turn in session.turns if turn.role == "user" and turn.number < turns[0].number]
        before = "".join(turn.text for turn in remembered_turns(config, earlier[-1:]))
        task = extraction_task(config, session.path, remembered_turns(config, turns), gate)
        self.task = task._replace(before=next(reversed(tuple(task.splitter.split(before))), ""))
        self._facts: tuple[Fact, ...] | None = None
        self._proposed: frozenset[str] | None = None  # what stood in the inbox
        self._about: dict[str, tuple[Fact, ...]] = {}  # the live facts about subjects that were asked for

    def prompt(self) -> str:
        """Return what a model is asked."""
        from mdmem.extraction.answer.proof import shown

        settings, joint = self.task.settings, "\n"
        known = (
            joint.join(f"- {one.key} · {one.subject} · {one.predicate} · {one.text}" for one in self._known()) or "—"
        )
        rules = joint.join(f"- {one.text}" for one in extract(self.task).items if one.type == "rule") or "—"
        return prompt(self.config, PROMPT, self.config.lang, {
            "file": shown(self.task, self.task.turns), "path": self.path, "today": self.config.day, "known": known,
            "kept": rules, "max_chars": str(settings.max_chars), "max": str(settings.max_items * len(self.task.rounds)),
        })  # fmt: skip

    def answer(self) -> Sequence[Extraction]:
        """Extract by rule."""
        return (extract(self.task),)

    def parse(self, text: str) -> Sequence[Extraction] | PlanProblem:
        """Read a model's answer, and keep of it what the rounds bear out."""
        from mdmem.extraction.answer.model_answer import parse_statements
        from mdmem.extraction.answer.proof import StatementProof

        found = parse_statements(text, self.config.settings.keeper.max_answer_chars)
        if isinstance(found, PlanProblem):
            return found
        proved = StatementProof(self.task).check(found, [one.key for one in self._known()])
        claims = ChangeClaims(self.task, fact_words(self.config), self._live)
        return (proved._replace(items=tuple(map(claims.checked, proved.items))),)

    def problems(self, answer: Sequence[Any]) -> Iterator[PlanProblem]:
        """Find what is wrong with a whole answer: each statement was judged by itself."""
        yield from () if answer else (PlanProblem("no-operations"),)

    def write(self, answer: Sequence[Any], backend: str, *, dry_run: bool, mark: bool = True) -> Outcome | None:
        """Write the facts and the mark of the session as one change; without `mark` the rounds go on waiting.

        Without it nothing is confirmed either: these rounds are read again, and confirm what they say only once. What
        was written of them while the session went on, and has been said to be private since, is undone first.
        """
        if not dry_run and undo_private(self.config, self.session.started, self._private()):
            self._facts, self._about = None, {}
        found: Extraction = answer[0]
        ended = end_statements(found, self._all_live(found), fact_words(self.config), self.task.settings)
        over = frozenset(one.fact.key for one in ended.endings)
        found, changed = self._changed_values(found._replace(items=ended.items), over)
        repeated = [one for one in found.items if one.unsure and self._is_known(one)]
        refused = [one for one in found.items if one.unsure and one not in repeated and self._was_proposed(one)]
        known = [] if mark else [one for one in found.items if not one.unsure and self._is_known(one)]
        items = [self._ended_fact(one) for one in ended.endings]
        items += [self._new_fact(one) for one in found.items if one not in (*repeated, *refused, *known)]
        items += [self._changed_value(one) for one in changed]
        left = without_deleted(self.config, items)
        dropped = found.dropped + Counter[Reason]({"refused": len(refused), "deleted": len(items) - len(left)})
        items = left
        change = _FactsChange(self, items, backend, mark=mark)
        try:
            changes = change.run(dry_run=dry_run)
        except (RefusedError, UsageError):  # one statement does not refuse the others
            fit = [one for one in items if _FactsChange(self, [one], backend, mark=False).is_fit()]
            if len(fit) == len(items):
                raise
            dropped += Counter[Reason]({"unfit": len(items) - len(fit)})
            change = _FactsChange(self, fit, backend, mark=mark)
            changes = change.run(dry_run=dry_run)
        change.commit.waiting = None  # that some of it waits is told in the message
        written = (one.path for one in changes if not one.waits and one.decision != "confirm")
        return change.commit.outcome(self._told(changes, dropped, len(repeated)), next(written, self.path))

    def _private(self) -> tuple[str, ...]:
        """Return the statements of what the user has asked to keep quiet, as they would be written."""
        task = self.task._replace(turns=sanitized_turns(spoken_turns(self.config, self.turns)))
        said, left = ([one.text for one in turns if one.role == "user"] for turns in (task.turns, self.task.turns))
        if said == left:
            return ()
        every, public = extract(task), extract(self.task)
        hidden = {one.key for one in (*every.items, *every.withdrawals)}
        hidden -= {one.key for one in (*public.items, *public.withdrawals)}
        return tuple(self._new_fact(one).text for one in (*every.items, *every.withdrawals) if one.key in hidden)

    def change(self, commit: ChangeRequest, files: DraftFiles, items: Sequence[NewFact], *, mark: bool) -> FactEdits:
        """Return the edits that write statements and mark the session; called inside a change of the pen.

        Raises:
            ConflictError: the rounds have changed meanwhile.
        """
        session = commit.document(files, self.path)
        self._same(read_session(session, self.path, template(self.config)))
        edits, changes = write_facts(commit, files, items, RoundTimes(self.config))
        own = {self.path: set_values(session, {THROUGH: self.task.last})} if mark else {}
        return FactEdits({**edits, **own}, changes)

    def _was_proposed(self, one: FactCandidate) -> bool:
        """Return whether an unproved statement stood in the inbox before: it waits there, or the user refused it."""
        if self._proposed is None:
            self._proposed = earlier_proposals(self.config, self.config.settings.extract.inbox_changes)
        return comparison_key(self._new_fact(one).text) in self._proposed

    def _known(self) -> tuple[Fact, ...]:
        """Return the live facts that a statement may replace, the newest ones."""
        if self._facts is None:
            found = sorted(stored_facts(self.config), key=lambda one: one.date)
            self._facts = tuple(found[-self.task.settings.shown_facts :])
        return self._facts

    def _new_fact(self, one: FactCandidate) -> NewFact:
        last = f"-{one.last}" if one.last > one.number else ""
        text, day = one.text, self.day(one.number)
        if days := said_days(ScriptedText(text).simple, dt.date.fromisoformat(day), one.tense):
            text = say(self.config.lang, "extract.dated", text=text, days=days)
        text = say(self.config.lang, "extract.to-confirm", text=text) if one.unsure else text
        doubt = say(self.config.lang, "extract.unsure") if one.unsure else ""
        return NewFact(
            one.subject, one.predicate, text, one.type, day,
            f"chat:{self.session.id}#{one.number}{last}", one.importance,
            priority="permanent" if one.permanent else "", also=one.also or _stands_beside(one),
            replaces=self._replaced(one),
            old=one.old, effect=one.effect,
            is_update=one.is_update, doubt=doubt, by_user=one.by_user,
            confidence=self.task.settings.model_confidence if one.by_model else None,
        )  # fmt: skip

    def _all_live(self, found: Extraction) -> tuple[Fact, ...]:
        """Return all live facts, if anything is taken back."""
        return stored_facts(self.config) if found.withdrawals else ()

    def _changed_values(self, found: Extraction, over: frozenset[str]) -> tuple[Extraction, list[KnownValue]]:
        """Return what was found, with the old versions that it replaces, and what else changes the value of a fact.

        The facts that are `over` have their new value already, if there is one.
        """
        stated = statements(self.task)
        if not (stated or any(map(is_new_version, found.items))):
            return found, []
        live = [one for one in stored_facts(self.config) if one.key not in over]
        words = fact_words(self.config)
        items = with_old_versions(found.items, live, words)
        return found._replace(items=items), known_values(self.task, stated, items, live, words)

    def _changed_value(self, one: KnownValue) -> NewFact:
        """Return the statement that gives a live fact another value, or that proposes to."""
        doubt = "" if one.is_sure else say(self.config.lang, "extract.may-change")
        return replace(self._new_fact(one.said), doubt=doubt)

    def _ended_fact(self, ending: Ending) -> NewFact:
        """Return the statement that ends a fact, or that proposes to."""
        said, fact = ending.said, ending.fact
        doubt = "" if ending.is_sure else say(self.config.lang, "extract.may-end")
        corrected = corrected_text(fact.text, said.old, said.value)
        return NewFact(
            fact.subject, fact.predicate, corrected or said.text, fact.type if corrected else "fact",
            self.day(said.number), f"chat:{self.session.id}#{said.number}", fact.importance if corrected else None,
            replaces=fact.key, effect="" if corrected else "end", is_update=bool(corrected), doubt=doubt,
            by_user=said.by_user,
        )  # fmt: skip

    def _is_known(self, one: FactCandidate) -> bool:
        """Return whether a live fact says the same: a model repeated what it was shown, or it was said before."""
        key = comparison_key(one.text if one.unsure else self._new_fact(one).text)
        return any(comparison_key(fact.text) == key for fact in self._live(one.subject))

    def _live(self, subject: str) -> tuple[Fact, ...]:
        if subject not in self._about:
            self._about[subject] = stored_facts(self.config, subject)
        return self._about[subject]

    def _replaced(self, one: FactCandidate) -> str:
        """Return the key of the one live line that a statement replaces: a model names it, or a taste turned round."""
        if one.old and any(fact.key == one.old for fact in self._known()):
            return one.old
        value = comparison_key(one.value)
        if one.old or one.type != "preference" or not value:
            return ""
        words = fact_words(self.config)
        found = [
            fact for fact in self._live(one.subject)
            if fact.type == "preference" and fact.predicate != one.predicate
            and not words.outlasts(fact.predicate, one.predicate) and comparison_key(fact.text).endswith(value)
        ]  # fmt: skip
        return found[0].key if len(found) == 1 else ""

    def day(self, number: int) -> str:
        """Return the day on which a round was said, as far as the session tells; never one that is to come."""
        time = next((turn.time for turn in self.turns if turn.number == number), "")
        for text in (time[:10], self.session.started[:10]):
            try:
                day = dt.date.fromisoformat(text).isoformat() if "-" in text else ""
            except ValueError:
                continue
            if day:
                return min(day, self.config.day)
        return self.config.day

    def _same(self, now: Session) -> None:
        """See to it that the rounds still are what was read, and still wait; newer ones may have come.

        Raises:
            ConflictError: they are not.
        """
        said = [(turn.number, turn.role, turn.text) for turn in self.turns]
        there = [(turn.number, turn.role, turn.text) for turn in now.turns if turn.number > now.extracted_through]
        if there[: len(said)] != said:
            raise ConflictError(say(self.config.lang, "keeper.moved-on"), path=self.path)

    def _span(self) -> str:
        key = "extract.round" if self.task.first == self.task.last else "extract.rounds"
        return say(self.config.lang, key, first=self.task.first, last=self.task.last)

    def _told(self, changes: Sequence[FactChange], dropped: Counter[Reason], repeated: int) -> str:
        lang = self.config.lang
        done = [one for one in changes if one.decision != "retract" or one.replaced]
        counts = Counter("waits" if one.waits else _TOLD.get(one.decision, "updated") for one in done)
        counts["known"] += repeated
        parts = [say(lang, f"extract.{key}", count=counts[key], inbox=inbox_path(self.config))
                 for key in ("new", "updated", "known", "waits") if counts[key]]  # fmt: skip
        told = say(lang, "punctuation.comma").join(parts) or say(lang, "extract.none")
        span = self._span()
        message = say(lang, "extract.done", path=self.path, rounds=span, told=told)
        if dropped:
            why = say(lang, "punctuation.list").join(
                say(lang, f"extract.why-{reason}", count=count) for reason, count in dropped.most_common()
            )
            message += say(lang, "extract.left-out", why=why)
        return message


class _FactsChange:
    """One change that writes statements."""

    def __init__(self, job: ExtractionJob, items: Sequence[NewFact], backend: str, *, mark: bool) -> None:
        self._job, self._items, self._backend, self._mark = job, items, backend, mark
        self.changes: tuple[FactChange, ...] = ()

    def run(self, *, dry_run: bool) -> tuple[FactChange, ...]:
        """Make the change, and return what became of each statement.

        Raises:
            ConflictError: the rounds have changed meanwhile.
            MdmemError: the pen refuses.
        """
        config = self._job.config
        reason = say(config.lang, "extract.reason", backend=self._backend)
        self.commit = ChangeRequest(config, "extract", KEEPER, reason, dry_run=dry_run)
        self.commit.run(self._edits, paths=(self._job.path, *fact_files(config, self._items)))
        return self.changes

    def is_fit(self) -> bool:
        """Return whether the pen would take the change."""
        try:
            self.run(dry_run=True)
        except (RefusedError, UsageError):
            return False
        return True

    def _edits(self, files: DraftFiles) -> Edits:
        edits, self.changes = self._job.change(self.commit, files, self._items, mark=self._mark)
        return edits


def _stands_beside(one: FactCandidate) -> bool:
    """Return whether a statement is a rule that changes none: it holds beside the others, whatever a model names it."""
    return one.type == "rule" and not (one.is_update or one.old)


def _unfit(gate: Gate, text: str) -> Reason | None:
    """Return why a text may not be written into a facts file, if it may not."""
    line = f"- {text}\n"
    if STRUCK in text and gate.access.tombstones:
        return "forgotten"  # a part of what was said has been forgotten, and the rest says something else
    if gate.unfit(_FOLDER, line):
        return "unfit"
    return None if gate.is_allowed(_FOLDER, line) else "forgotten"


def read_extraction(
    config: WorkspaceConfig, path: str, *, last: int | None = None, whole: bool = True, most: int | None = None
) -> ExtractionJob | None:
    """Read the rounds of a session that wait; None if there are none, or the file cannot say how far it is.

    Args:
        config: the workspace.
        path: the session's file.
        last: no round behind this one.
        whole: also the newest round of an open session that nobody has answered yet.
        most: so many rounds at most.

    Raises:
        UnreadableFileError, TargetError: it cannot be read.
    """
    found = read_file(config, path, KEEPER)
    if found.warning:
        raise UnreadableFileError(found.warning, path=path)
    document = parse(found.text.encode())
    if document.front_matter is None:
        return None
    session = read_session(document, path, template(config))
    turns = [turn for turn in session.turns if turn.number > session.extracted_through]
    if last is not None:
        turns = [turn for turn in turns if turn.number <= last]
    if turns and not (whole or session.ended) and turns[-1].role != "assistant":
        turns = [turn for turn in turns if turn.number < turns[-1].number]
    if turns and most is not None:
        numbers = sorted({turn.number for turn in turns})[:most]
        turns = [turn for turn in turns if turn.number <= numbers[-1]]
    return ExtractionJob(config, session, turns) if turns else None
