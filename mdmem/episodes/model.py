"""The types of episodes. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, TypeAlias

from mdmem.episodes.stretches import EpisodeAction
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Session, Turn
from mdmem.formats.template import Template
from mdmem.wording.importance import ImportanceScorer
from mdmem.wording.literals import TextFact, facts
from mdmem.wording.transcript import Sentence, sentences

EpisodeSource: TypeAlias = Literal["session_end", "context_compress", "night"]
OUTCOMES = ("success", "partial", "failed", "ongoing", "unknown")


@dataclass(frozen=True, slots=True)
class Episode:
    """What happened in a stretch of a session's rounds."""

    session: str  # the session's id
    path: str  # of its file
    first: int  # round
    last: int
    summary: str
    goal: str  # of the session
    outcome: str  # success, partial, failed, ongoing, unknown
    source: str  # session_end, context_compress, night: when it was written
    started: str  # of the session
    ended: str
    importance: float  # 0 to 1, of the session
    entities: tuple[str, ...]  # paths, addresses, names and code that the session is about
    tags: tuple[str, ...]
    tools: tuple[str, ...]  # tools that the stretch used
    facts: tuple[str, ...]  # facts that came of it: `file#id`
    actions: tuple[EpisodeAction, ...]
    line: int  # 1-based, of its summary
    accesses: int = 0  # times that it was recalled


class EpisodeDraft(NamedTuple):
    """What rules or a model say of some turns."""

    summary: str
    goal: str = ""
    outcome: str = ""
    entities: tuple[str, ...] = ()


class _EpisodeFields(NamedTuple):
    session: Session
    turns: tuple[Turn, ...]  # of the whole session, without secrets
    template: Template
    scorer: ImportanceScorer
    splitter: Splitter
    unfit: Callable[[str], bool]  # whether the gate refuses a text
    lang: str


class EpisodeTask(_EpisodeFields):
    """All that an episode is made of; nothing here reads a file or a clock."""

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the session."""
        return sentences(self.turns, self.splitter)

    @cached_property
    def facts(self) -> tuple[tuple[TextFact, ...], ...]:
        """The facts of each sentence."""
        return tuple(facts(one.text) for one in self.sentences)

    def number(self, key: str) -> int:
        """Return a number of the template."""
        return int(self.template.numbers.get(key, 0))

    def between(self, first: int, last: int) -> tuple[Turn, ...]:
        """Return the turns of some rounds."""
        return tuple(turn for turn in self.turns if first <= turn.number <= last)
