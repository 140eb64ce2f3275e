"""The types of facts: what is said, what a file holds, and what became of it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

# What a statement does to the line that holds its `old` value, beyond what its own text says: it ends it without a
# successor; replaces it, and is not written where there is none; or replaces a rule by the word of the user.
Effect: TypeAlias = Literal["", "end", "swap", "lift"]
Decision: TypeAlias = Literal["new", "confirm", "update", "late", "beside", "retract", "ask"]


@dataclass(frozen=True, slots=True)
class NewFact:
    """A statement that is to become a fact."""

    subject: str
    predicate: str
    text: str  # one line, without date and fields
    type: str = "fact"
    date: str = ""  # ISO day on which it was said; empty: today
    source: str = ""
    importance: float | None = None  # None leaves it to the template
    confidence: float | None = None
    priority: str = ""
    also: bool = False  # holds beside the other lines of its predicate
    replaces: str = ""  # the id or key of the live line that it replaces, if a model chose one
    old: str = ""  # the value that no longer holds, if it is named
    effect: Effect = ""
    is_update: bool = False  # the speaker or a model says that something changed
    episode: str = ""
    doubt: str = ""  # why it must wait in the inbox for the user; empty if it may be written
    by_user: bool = False  # the user said it in a conversation, in these words
    fields: Mapping[str, str] | None = None  # any other `[key:: value]`


@dataclass(frozen=True, slots=True)
class Fact:
    """One line of a facts file."""

    path: str
    subject: str
    predicate: str
    text: str  # without date, fields and id
    date: str  # ISO day; empty if the line has none
    id: str  # its ^id; empty if it has none
    key: str  # names the line to other commands: its id, or its key
    line: int  # 1-based
    type: str
    priority: str
    importance: float
    confidence: float
    source: str
    superseded: str  # ISO day on which it stopped to hold; empty if unknown
    superseded_by: str  # the id of the line that replaced it
    live: bool
    masked: bool = False  # a password or the like in the text was replaced by its name


@dataclass(frozen=True, slots=True)
class FactSubject:
    """A subject of which facts are kept."""

    subject: str
    path: str
    now: int  # live lines
    before: int  # superseded lines


@dataclass(frozen=True, slots=True)
class FactChange:
    """What became of one statement."""

    item: NewFact
    decision: Decision
    path: str
    id: str = ""  # of the line that now says it; empty for a retraction
    replaced: tuple[str, ...] = ()  # keys of the lines that were superseded, confirmed or retracted
    waits: bool = False  # it went to the inbox: only the user may replace that line
    reason: str = ""  # why this decision, for a person
    near: tuple[str, ...] = ()  # keys of the lines that it may replace, if the decision is `ask`
