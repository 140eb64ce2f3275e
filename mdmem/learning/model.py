"""The types of learning: the part of a session in which patterns are searched for, and the patterns. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from mdmem.extraction.runs import ToolStep

WORKS, FAILS = "what works", "what goes wrong"  # aliases of the sections of a piece, in every language
PatternKind: TypeAlias = Literal["mended", "worked", "corrected"]


class SeenSession(NamedTuple):
    """One session, as patterns are looked for in it; without secrets, and without what was said in confidence."""

    id: str
    task: str
    asked: Mapping[int, str]  # what the user asked for, by round
    steps: tuple[ToolStep, ...]

    def purposes(self, number: int) -> tuple[str, ...]:
        """Return what a run in a round was for: what the user asked there, and the task."""
        return tuple(filter(None, (self.asked.get(number, ""), self.task)))

    def source(self, first: int, last: int = 0) -> str:
        """Return some rounds as the source of a line."""
        rounds = f"{first}-{last}" if last > first else f"{first}"
        return f"chat:{self.id}#{rounds}"


class LearnedPattern(NamedTuple):
    """What a session, or several, show about how something is done."""

    kind: PatternKind
    text: str  # the line, without its sources
    section: str  # an alias of the section where it belongs
    sources: tuple[str, ...]
    purposes: tuple[str, ...]  # what it was for: a piece is looked for by these
    shown: str = ""  # what a prompt shows of the runs
    is_strong: bool = False  # it may become a new piece where none fits
