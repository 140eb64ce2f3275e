"""The types of the scratchpad: the parsed file, what it is made of, and the generated lines. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mdmem.episodes.stretches import EpisodeStretch
from mdmem.wording.transcript import Sentence

KIND, FILE = "scratchpad", "SCRATCHPAD.md"
BLOCK = "scratchpad"  # the name of the generated blocks
CHAT = "chat:"  # the beginning of the source of a line

# The four sections, by an alias that the templates of both languages have.
PROJECTS, PROGRESS, QUESTIONS, STEPS = SECTIONS = ("active_projects", "progress", "open_questions", "next_steps")
KEPT = (QUESTIONS, STEPS)  # sections whose lines stay when their session is not read any more


@dataclass(frozen=True, slots=True)
class Scratchpad:
    """The entries of a scratchpad by section, generated and written by hand."""

    path: str
    active_projects: tuple[str, ...] = ()
    current_focus: str = ""  # the project that stands last; empty if there is none
    recent_progress: tuple[str, ...] = ()
    open_questions: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    updated: str = ""  # when the file was last written, YYYY-MM-DD HH:MM; empty if there is no file


class SessionDigest(NamedTuple):
    """What the rules read of one session."""

    id: str
    day: str  # YYYY-MM-DD on which it ended, or else began
    task: str
    outcome: str
    ended: bool
    response: str
    episodes: tuple[EpisodeStretch, ...] = ()
    sentences: tuple[Sentence, ...] = ()  # of its newest rounds; none of an older session
    reported: tuple[Sentence, ...] = ()  # the same of a session that ended without a response

    @property
    def source(self) -> str:
        """The session as the source of a line."""
        return f"{CHAT}{self.id}"


class PlanDigest(NamedTuple):
    """What the rules read of a task plan."""

    task: str  # empty if the plan does not run
    steps: tuple[str, ...]  # those that are open
    source: str
