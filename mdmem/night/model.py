"""The types of the night run: its options, items, counts and report. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

NightStatus: TypeAlias = Literal["done", "unchanged", "planned", "stopped", "waiting", "off"]


class NightOptions(NamedTuple):
    """The options of one run."""

    plan: bool = False  # show what would change; write nothing
    only: str = ""  # the name of one step; empty for all
    calls: int | None = None  # questions to a model; None for `[night] calls`
    tokens: int | None = None  # tokens of the questions and answers; None for `[night] tokens`
    now: bool = False  # also if the night is switched off, or somebody is at work


class NightItem(NamedTuple):
    """One unit of work: it is done as a whole or not at all, and the run may end after it."""

    key: str  # names it within its step, also in a later run
    path: str  # the file that messages name
    entries: int  # entries, sessions or files that it is about
    merged: int = 0  # how many of them will be merged
    moved: int = 0  # how many of them will be moved
    asks: bool = False  # a model is asked


class StepCounts(NamedTuple):
    """What became of the entries of an item, or of a step."""

    kept: int = 0
    merged: int = 0
    moved: int = 0
    refused: int = 0
    reasons: tuple[str, ...] = ()  # of the refusals, each with its path
    updated: int = 0  # of the kept: the line says from now on how often it was recalled

    def plus(self, other: StepCounts) -> StepCounts:
        """Return the sum of two counts."""
        return StepCounts(
            self.kept + other.kept, self.merged + other.merged, self.moved + other.moved,
            self.refused + other.refused, (*self.reasons, *other.reasons), self.updated + other.updated,
        )  # fmt: skip


class StepPlan(NamedTuple):
    """What a step would do."""

    items: tuple[NightItem, ...] = ()
    counts: StepCounts = StepCounts()  # of the entries that need no work, and of files that cannot be read


NightProgress: TypeAlias = Callable[[str, int, int], object]  # called with step, items done, all items


@dataclass(frozen=True, slots=True)
class NightStepReport:
    """What one step did with its entries: `entries = kept + merged + moved + refused`."""

    step: str
    kept: int = 0  # they stay where they are
    merged: int = 0  # another entry says the same; they are in the archive
    moved: int = (
        0  # into the archive; of conversations: into facts and episodes; of the portrait and short texts: written anew
    )
    refused: int = 0  # their change was not made; `reasons` says why
    updated: int = 0  # of the kept: the line says from now on how often it was recalled
    left: int = 0  # of the kept: they wait for the next run, because the budget was spent
    calls: int = 0  # questions to a model
    tokens: int = 0  # of the questions and answers
    seconds: float = 0
    reasons: tuple[str, ...] = ()

    @property
    def entries(self) -> int:
        """How many entries, sessions or files the step looked at."""
        return self.kept + self.merged + self.moved + self.refused


@dataclass(frozen=True, slots=True)
class NightReport:
    """What a night did."""

    status: NightStatus  # stopped: a budget was spent; waiting: somebody is at work; off: it is not switched on
    day: str  # ISO
    message: str
    hint: str
    path: str  # of the report in archive/nights/; empty if none was written
    steps: tuple[NightStepReport, ...]
    lines: tuple[str, ...] = ()  # one sentence for each step that looked at something
