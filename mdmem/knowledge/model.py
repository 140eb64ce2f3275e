"""The types of knowledge: pieces, their functions, versions, and what came of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class KnowledgePiece:
    """One piece of knowledge: a file of `knowledge/`."""

    name: str  # its path without folder and ending: `riverlog-csv`, `pack/review`
    path: str
    description: str
    version: str  # the saved version that its text began with; empty if none was saved
    trial: tuple[str, ...]  # two versions that take turns
    precedence: float
    described: bool  # without a description it is hardly ever chosen
    trusted: bool = True  # False: of a bundle that the user has not trusted as it is now


@dataclass(frozen=True, slots=True)
class KnowledgeVersion:
    """A saved version of a piece."""

    name: str
    path: str
    saved: str  # when
    note: str
    source: str  # its evidence
    current: bool  # the text of the piece began with it


class RunName(NamedTuple):
    """What is run: `piece:function@version`; function and version may be empty."""

    piece: str
    function: str = ""
    version: str = ""

    def __str__(self) -> str:
        return f"{self.piece}{f':{self.function}' if self.function else ''}{f'@{self.version}' if self.version else ''}"


def read_run_name(text: str) -> RunName:
    """Read `piece:function@version`."""
    body, _, version = text.strip().partition("@")
    piece, _, function = body.partition(":")
    return RunName(piece.strip(), function.strip(), version.strip())


class TaskResult(NamedTuple):
    """What came of one run: of all sessions in which it was worked on."""

    version: str
    started: str  # when it was run
    success: bool
    rounds: int
    tools: int
    errors: int
    tokens: int
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VersionTally:
    """The results of one version."""

    version: str
    tasks: int
    successes: int
    rate: float  # 0 without tasks
    low: float  # Wilson's interval of the rate
    high: float
    rounds: float  # means of a task
    tools: float
    errors: float
    tokens: float
    sessions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VersionComparison:
    """Two versions, by the first tasks of each."""

    name: str
    first: VersionTally
    second: VersionTally
    difference: float  # of the rates, second minus first
    low: float  # Newcombe's interval of the difference
    high: float
    confidence: float
    wanted: int  # tasks of each version after which it is decided
    better: str  # the version that is better; empty if neither is, or if the evidence is too thin
    thin: bool  # fewer tasks than wanted
    message: str = ""
    status: str = "compared"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two orders about the same thing, one of which forbids what the other demands."""

    first: str  # the piece that holds: the one of higher precedence
    first_line: int
    first_text: str
    second: str
    second_line: int
    second_text: str
