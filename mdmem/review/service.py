"""Runs the steps at the end of a session, each once and in order; a step that fails is reported, and the next one runs.

All steps share one time for models. When it is over, the rules write what is left; of extraction, which a model does
better, the rounds go on waiting for the next run (K113, K114). The end of the session is written before. The last step
proposes what belongs in MEMORY.md, or writes it (P019).
"""

# A step's own modules are imported when there is something for it: most sessions run no piece, take over no handoff and
# teach no command.
from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from mdmem.config.inbox_sections import PROPOSALS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest, PendingConfirmation
from mdmem.entries.edited_by_hand import deleted_lines
from mdmem.entries.edits import add
from mdmem.entries.edits.generated import body
from mdmem.entries.inbox.items import inbox_files, inbox_template
from mdmem.entries.inbox.proposals import InboxDraft, propose, target_label
from mdmem.entries.kind_files import file_of, files_of
from mdmem.entries.model import Outcome
from mdmem.entries.read import live_bytes
from mdmem.episodes.service import write_episode
from mdmem.errors import ConfigError, MdmemError, TargetError
from mdmem.extraction.clauses import clauses
from mdmem.extraction.model import FactCandidate
from mdmem.extraction.voices import own_sentences
from mdmem.extraction.withdrawals import not_taken_back, withdrawal_reader
from mdmem.facts.hand_edits import correct_hand_edits
from mdmem.formats.fact_words import KIND as FACTS
from mdmem.formats.fact_words import words_of
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session
from mdmem.formats.template import Template
from mdmem.generation.chosen_backend import ChosenBackend
from mdmem.handoff.read import waiting_handoffs
from mdmem.keeper.job_runner import BackendChoice
from mdmem.keeper.session_extraction import extract_left_over, extract_meanwhile, extract_sessions
from mdmem.learning.read import read_seen
from mdmem.linter.detect.relative_dates import is_dated
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.models import TimeLimit
from mdmem.plan.read import plan_path
from mdmem.portrait.model import TARGETS
from mdmem.portrait.service import Portrait
from mdmem.review.selection import ReviewedText, ReviewLine, ReviewRules
from mdmem.scratchpad.gather import conclusion, newest_turns
from mdmem.scratchpad.service import update_scratchpad
from mdmem.sessions.read import find, head, is_older, latest_sessions
from mdmem.sessions.sanitize import remembered_turns
from mdmem.settings.keeper_tables import MODELS
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import apply_edits, smallest
from mdmem.text.similarity import comparison_key
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.transcript import Sentence

MEMORY = "memory"  # the kind of file that a review is for
_JOINTS = " :："  # between a path and the message about it
_KNOWN = (MEMORY, "user", "fastmemo", FACTS)  # kinds whose entries are not proposed again


class ReviewStep(NamedTuple):
    """One step of the journey."""

    name: str
    run: Callable[[WorkspaceConfig, Session, TimeLimit], Outcome | None]  # None if the step is switched off


def _extract(config: WorkspaceConfig, session: Session, limit: TimeLimit) -> Outcome | None:
    """Extract what waits; what a model does not manage goes on waiting, and the rules take from it what they know."""
    try:
        found = extract_sessions(config, session.id, BackendChoice(limit=limit))
    except ConfigError as error:  # the model cannot be asked at all
        said = in_language(error, config.lang)
        told = say(config.lang, "keeper.refused", path=session.path, reason=said.message)
        found = (Outcome("refused", told, said.hint, session.path),)
    last = found[-1]
    if last.status not in ("refused", "waiting") or config.settings.keeper.backend not in MODELS:
        return next((one for one in found if one.status != "unchanged"), found[0])
    meanwhile = extract_meanwhile(config, session.path)
    if meanwhile is None or meanwhile.status == "unchanged":
        return last
    told = meanwhile.message.removeprefix(session.path).lstrip(_JOINTS)
    return replace(meanwhile, message=say(config.lang, "extract.meanwhile", reason=last.message, told=told))


def _knowledge(config: WorkspaceConfig, session: Session, _: TimeLimit) -> Outcome | None:
    """Record which versions of which knowledge the session worked by (D062)."""
    plan = plan_path(config, session.agent)
    if not os.path.isfile(os.path.join(config.root, plan)) or is_older(config, plan, session):
        return None
    from mdmem.knowledge.plan_runs import record_plan_runs

    new = record_plan_runs(config, session.path)
    if not new:
        return None
    return Outcome("done", say(config.lang, "knowledge.recorded", names=", ".join(new)), "", session.path)


def _corrections(config: WorkspaceConfig, _session: Session, _: TimeLimit) -> Outcome | None:
    """Propose to correct the lines that state what the person replaced or ended by hand in the facts."""
    done = correct_hand_edits(config)
    return done if done.status != "unchanged" else None


def _episode(config: WorkspaceConfig, session: Session, limit: TimeLimit) -> Outcome | None:
    return write_episode(config, session.path, backend=ChosenBackend(config, limit=limit))


def _scratchpad(config: WorkspaceConfig, session: Session, limit: TimeLimit) -> Outcome | None:
    if not config.settings.scratchpad.enabled:
        return None
    return update_scratchpad(config, session.agent, ChosenBackend(config, limit=limit), ended=session.id)


def _portrait(config: WorkspaceConfig, _session: Session, _: TimeLimit) -> Outcome | None:
    """Show what is new of the person, so that the next session begins with it."""
    targets = [one for one in TARGETS if one in config.settings.session.portrait]
    done = Portrait(config).refresh(*targets) if targets else ()
    return next((one for one in done if one.status != "unchanged"), None)


def _memory(config: WorkspaceConfig, session: Session, _: TimeLimit) -> Outcome | None:
    return None if config.settings.memory.review == "off" else review_memory(config, session)


def _learn(config: WorkspaceConfig, session: Session, limit: TimeLimit) -> Outcome | None:
    """Propose what the session teaches about how something is done."""
    if not config.settings.learning.enabled:
        return None
    seen = read_seen(config, session.path)
    if not seen.steps:
        return None
    from mdmem.learning.service import learn

    return learn(config, session, seen, ChosenBackend(config, limit=limit))


def _left_over(config: WorkspaceConfig, session: Session, limit: TimeLimit) -> Outcome | None:
    """Extract what waits of earlier sessions."""
    taken = extract_left_over(config, session.path, BackendChoice(limit=limit))
    if not taken:
        return None
    return Outcome("done", say(config.lang, "review.left-over", count=len(taken)), "", taken[0])


def _handoff(config: WorkspaceConfig, session: Session, _: TimeLimit) -> Outcome | None:
    """Tick what another agent has handed over, and the session was given."""
    if not any(waiting_handoffs(config, session.agent)):
        return None
    from mdmem.handoff.service import take_over

    return take_over(config, session)


STEPS = (  # in their order
    ReviewStep("knowledge", _knowledge),
    ReviewStep("handoff", _handoff),
    ReviewStep("extract", _extract),
    ReviewStep("corrections", _corrections),
    ReviewStep("episode", _episode),
    ReviewStep("scratchpad", _scratchpad),
    ReviewStep("review", _memory),
    ReviewStep("learn", _learn),
    ReviewStep("left-over", _left_over),
    ReviewStep("portrait", _portrait),
)


def review_session(config: WorkspaceConfig, name: str | None) -> tuple[Outcome, ...]:
    """Run the journey for a session; see `Workspace.review`."""
    path = find(config, name) if name else next(iter(latest_sessions(config, limit=1)), "")
    if not path:
        raise TargetError(say(config.lang, "review.no-session"), hint=say(config.lang, "review.no-session.hint"))
    return tuple(_outcomes(config, path))


def after_end(config: WorkspaceConfig, path: str) -> tuple[str, ...]:
    """Run the journey for a session that has just ended; return a message for each step that did something.

    The messages do not repeat the path of the session, which the reply has already.
    """
    done = (one.message for one in _outcomes(config, path) if one.status != "unchanged")
    return tuple(message.removeprefix(path).lstrip(_JOINTS) for message in done)


def _outcomes(config: WorkspaceConfig, path: str) -> Iterator[Outcome]:
    """Yield what became of each step; whatever fails, the end of the session stays as it was written."""
    limit = TimeLimit(config.settings.session.end_seconds)
    for step in STEPS:
        try:
            found = step.run(config, head(config, path), limit)
        except MdmemError as error:
            said = in_language(error, config.lang)
            yield _failed(config, step, path, said.message)
        else:
            if found:
                yield found


def _failed(config: WorkspaceConfig, step: ReviewStep, path: str, reason: str) -> Outcome:
    named = say(config.lang, f"review.step-{step.name}")
    return Outcome("refused", say(config.lang, "review.failed", step=named, reason=reason), "", path)


def review_memory(config: WorkspaceConfig, session: Session) -> Outcome:
    """Propose for MEMORY.md what matters of a session, or write it, by `[memory] review`."""
    commit = ChangeRequest(config, "review", KEEPER, say(config.lang, "review.reason", id=session.id[:15]))
    path = commit.path(file_of(config, MEMORY))
    lines = [one for one in _lines(config, session) if commit.gate.is_allowed(path, f"- {one.text}\n")]
    unchanged = Outcome("unchanged", say(config.lang, "review.nothing"), "", path)
    if not lines:
        return unchanged
    writes = config.settings.memory.review == "write"
    if writes and not commit.exists(path):
        commit.new(path)
    dated = [(_dated(config, one.text, session), one) for one in lines]

    def change(files: DraftFiles) -> Edits:
        return _written(commit, files, path, dated) if writes else _proposed(commit, files, path, dated)

    commit.run(change, propose=propose)
    outcome = commit.outcome(say(config.lang, "review.written", path=path, count=len(dated)), path)
    return unchanged if outcome.status == "unchanged" else outcome


def _lines(config: WorkspaceConfig, session: Session) -> tuple[ReviewLine, ...]:
    settings = config.settings
    splitter = Splitter(settings.sentences)
    words = clauses(settings.extract)
    newest = remembered_turns(config, newest_turns(config, session.path))
    turns = [turn for turn in newest if not words.is_transcript(turn.text)]
    scorer = ImportanceScorer(settings.keeper, config.today)
    own = own_sentences(turns, splitter, words, settings.extract.sentence_chars)
    spoken = [one for one in own if not words.is_private(one.text)]
    told = conclusion(session, splitter)
    rules = ReviewRules(settings.memory, settings.remember, scorer, words, MEMORY)
    near = settings.lint.near_duplicate
    files = [path for kind in _KNOWN if config.schemas.get(kind) for path in files_of(config, kind)]
    known = [text for text, _ in _entries(config, (*files, *inbox_files(config)))]
    facts = _entries(config, files_of(config, FACTS))
    deleted = ((one.text, one.source) for one in deleted_lines(config, (*files, *inbox_files(config))))
    written = [text for text, source in (*facts, *deleted) if source.partition("#")[0] == f"chat:{session.id}"]
    found = rules.lines(ReviewedText(session.id, spoken, told, written), known, near)
    return _still_stated(config, found, spoken, scorer) if found else ()


def _still_stated(
    config: WorkspaceConfig, lines: Sequence[ReviewLine], spoken: Sequence[Sentence], scorer: ImportanceScorer
) -> tuple[ReviewLine, ...]:  # fmt: skip
    """Return the lines that the user did not take back later in the session."""
    template, settings = config.schemas.get(FACTS), config.settings.extract
    texts = [one.text for one in spoken]
    stated = {
        number: FactCandidate("rule" if scorer.is_kept(text) else "fact", "", "", text, 1.0, number)
        for number, text in enumerate(texts)
        if any(text == line.text for line in lines)
    }
    if template is None or not stated:
        return tuple(lines)
    reader = withdrawal_reader(settings, clauses(settings))
    kept = not_taken_back(tuple(stated.values()), texts, words_of(template, config.settings), settings, reader)
    gone = {one.text for one in stated.values()} - {one.text for one in kept}
    return tuple(line for line in lines if line.text not in gone)


def _entries(config: WorkspaceConfig, paths: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the entries of files, each with its source."""
    for path in paths:
        with suppress(MdmemError):
            data = live_bytes(config, path, config.settings.lint.max_bytes)
            for entry in parse(data).entries if data else ():
                parts = entry.parts
                source = parts.field("source")
                yield parts.body.of(entry.text).strip() or body(entry.text), source.value if source else ""


def _dated(config: WorkspaceConfig, text: str, session: Session) -> str:
    day = (session.ended or session.started)[:10] or config.day
    return text if is_dated(text) else day + say(config.lang, "punctuation.colon") + text


def _written(
    commit: ChangeRequest, files: DraftFiles, path: str, lines: Sequence[tuple[str, ReviewLine]]
) -> Edits:  # fmt: skip
    """Return the edits that add lines to their sections of the memory."""
    document = first = files[path]
    template = commit.template(path, document)
    for text, one in lines:
        document = _added(document, template, text, one.section, {"source": one.source})
    return _difference(path, first, document)


def _proposed(
    commit: ChangeRequest, files: DraftFiles, path: str, lines: Sequence[tuple[str, ReviewLine]]
) -> Edits:  # fmt: skip
    """Return the edits that put lines into the inbox, where the user accepts or drops each."""
    draft = InboxDraft(commit, files, (text for text, _ in lines))
    target = commit.template(path, files[path])
    known = {comparison_key(item.text) for item in draft.waiting}
    count = 0
    for text, one in lines:
        if comparison_key(f"{text} [source:: {one.source}]") in known:
            continue
        section = (target.name(one.section) if target else None) or one.section
        fields = {"source": one.source, "to": target_label(path, section), "by": commit.access.actor}
        draft.add([f"[ ] {text}"], PROPOSALS, fields)
        count += 1
    if count:
        commit.gate.examine(path, files[path], ())
        name = inbox_template(commit.config).name(PROPOSALS) or PROPOSALS
        facts = {"path": path, "inbox": draft.path, "waiting": name, "count": count}
        commit.waiting = PendingConfirmation(draft.path, "review.proposed", facts)
    return draft.edits()


def _added(
    document: Document | None, template: Template | None, text: str, section: str, fields: dict[str, str]
) -> Document | None:
    plan = add(document, template, [text], section=section, fields=fields)
    new = apply_edits(document.text if document else "", plan.edits)
    return parse(new.encode("utf-8", "surrogateescape")) if plan.edits else document


def _difference(path: str, before: Document | None, after: Document | None) -> Edits:
    if after is None or (before is not None and before.text == after.text):
        return {}
    return {path: smallest(before.text if before else "", after.text)}
