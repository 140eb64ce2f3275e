"""Learn from a session that has ended: find its patterns and the pieces where they belong, and propose what is new.

A pattern is proposed once: what the piece says already, what waits, and what was rejected is not proposed again. Where
the piece says it already, the session is proposed as further evidence of the line.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import KEEPER
from mdmem.entries.commit import ChangeRequest
from mdmem.entries.model import Outcome
from mdmem.entries.tombstones import STRUCK
from mdmem.episodes.stretches import EpisodeWords
from mdmem.extraction.clauses import clauses
from mdmem.formats.session import Session
from mdmem.generation.chosen_backend import ChosenBackend
from mdmem.generation.prompt import prompt
from mdmem.knowledge.read import KIND, OpenPiece, open_piece
from mdmem.learning.edits import pattern_key, sources_of
from mdmem.learning.job import PROMPT, WordingTask, prompt_values, worded, wording_problems
from mdmem.learning.model import LearnedPattern, SeenSession
from mdmem.learning.pattern_proposals import EarlierPatterns, PatternProposals, PatternTarget
from mdmem.learning.piece_finder import PieceFinder, said_already
from mdmem.learning.read import earlier_sessions, said_corrections
from mdmem.learning.rules import PatternRules
from mdmem.messages.catalog import say
from mdmem.sessions.read import template
from mdmem.settings.phrases import any_of
from mdmem.wording.importance import ImportanceScorer


def learn(config: WorkspaceConfig, session: Session, seen: SeenSession, backend: ChosenBackend) -> Outcome | None:
    """Propose what a session teaches about how something is done; None if it teaches nothing new.

    Args:
        config: the workspace.
        session: one that is over.
        seen: the same with its tool runs.
        backend: words the lines.
    """
    learning = _learning(config, session, seen)
    targets = learning.targets()
    if not targets:
        return None
    told, why = learning.worded(targets, backend)
    commit = learning.commit
    hint = say(config.lang, "scratchpad.rules-used", reason=why) if why else ""
    return PatternProposals(commit, session).propose(told, hint)


def teaches(config: WorkspaceConfig, session: Session, seen: SeenSession) -> bool:
    """Return whether a session that is over teaches something new."""
    return bool(_learning(config, session, seen).targets())


def _learning(config: WorkspaceConfig, session: Session, seen: SeenSession) -> SessionLearning:
    commit = ChangeRequest(config, "learn", KEEPER, say(config.lang, "learning.reason", id=session.id[:15]))
    return SessionLearning(commit, session, seen)


class SessionLearning:
    """What one session teaches."""

    def __init__(self, commit: ChangeRequest, session: Session, seen: SeenSession) -> None:
        """Bind to a session that has ended."""
        self.commit, self._config, self._session, self._seen = commit, commit.config, session, seen
        self._own = commit.config.settings.learning
        self._finder = PieceFinder(commit.config, session.path)

    def targets(self) -> tuple[PatternTarget, ...]:
        """Return the new patterns of the session, each with the piece where it belongs."""
        found: list[PatternTarget] = []
        for one in self._patterns():
            name = self._finder.piece(one.purposes)
            if not name and not one.is_strong:
                continue
            target = PatternTarget(one, open_piece(self._config, name) if name else None)
            if self._is_fit(target) and not self._is_known(target):
                found.append(target)
            if len(found) == self._own.proposals:
                break
        return tuple(found)

    def _patterns(self) -> Iterator[LearnedPattern]:
        """Yield what the user corrected, the errors that were mended, and the commands that worked often enough."""
        config, path, seen = self._config, self._session.path, self._seen
        rules = PatternRules(self._own, config.settings.extract, EpisodeWords(template(config)).error_line, config.lang)
        said = said_corrections(config, path, any_of(self._own.corrections)) if self._finder.names else ()
        yield from rules.corrected(seen, said, any_of(config.schemas.required(KIND).parts.get("never", ())))
        yield from rules.mended(seen) if self._finder.names else ()
        if any(step.run.ok and rules.command(step) for step in seen.steps):
            yield from rules.worked(seen, tuple(earlier_sessions(config, self._session)), self._finder.is_same)

    def _is_fit(self, target: PatternTarget) -> bool:
        """Return whether a line may be written: nothing private or forgotten, no secret, no order to the agent."""
        gate, text, settings = self.commit.gate, target.pattern.text, self._config.settings
        if STRUCK in text and gate.access.tombstones:
            return False
        if any_of(settings.memory.review_private).search(text) or clauses(settings.extract).is_private(text):
            return False
        return gate.is_allowed(target.path, f"- {text}\n")

    def _is_known(self, target: PatternTarget) -> bool:
        """Return whether a pattern was proposed before, or needs no further evidence."""
        key, sources = pattern_key(target.pattern.text), target.pattern.sources
        line = said_already(target.piece, key)
        if line is None:
            return self._earlier.holds(key)
        known = sources_of(line.text)
        is_more = len(known) < self._own.evidence and not set(sources) <= set(known)
        return not is_more or self._earlier.changes(line)

    @cached_property
    def _earlier(self) -> EarlierPatterns:
        return EarlierPatterns(self._config)

    def worded(self, targets: Sequence[PatternTarget], backend: ChosenBackend) -> tuple[tuple[PatternTarget, ...], str]:
        """Return the patterns in the words of a model, where its answer is proved, and why another one is not taken.

        The words of the user stay as they are; so does what becomes further evidence or a new piece.
        """
        if backend.by_rules:
            return tuple(targets), ""
        found, why = list(targets), ""
        for path in dict.fromkeys(one.path for one in targets if one.is_new_line):
            own = [at for at, one in enumerate(found) if one.path == path and one.is_new_line]
            piece = found[own[0]].piece
            assert piece is not None
            task = self._task(piece, [found[at].pattern for at in own])
            made = backend.operations(partial(self._prompt, task), partial(wording_problems, task))
            for at, one in zip(own, worded(task, made.answer or ()), strict=True):
                found[at] = PatternTarget(one, piece)
            why = why or made.why
        return tuple(found), why

    def _task(self, piece: OpenPiece, patterns: Sequence[LearnedPattern]) -> WordingTask:
        path, day = piece.piece.path, dt.date.fromisoformat(self._config.day)
        scorer = ImportanceScorer(self._config.settings.keeper, day)
        return WordingTask(
            path, piece.document, piece.template, tuple(patterns), self._own.line_chars, scorer,
            lambda text: not self.commit.gate.is_allowed(path, f"- {text}\n"),
        )  # fmt: skip

    def _prompt(self, task: WordingTask) -> str:
        return prompt(self._config, PROMPT, task.template.lang or self._config.lang, prompt_values(task))
