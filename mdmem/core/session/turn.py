"""What was said, by whom and when: a turn, a round of turns, a session."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from mdmem.core.record import NamedTuple

ROLES = ("user", "assistant", "tool", "system")


class Turn(NamedTuple):
    """One thing said, or one run of a tool told."""

    number: int  # of its round, from 1
    role: str  # one of ROLES
    speaker: str  # as the file names it
    time: str  # `21:30`, or a date and a time
    text: str  # as it was said, nothing escaped
    start: int  # characters of the file: from the heading
    end: int  # to the next one
    line: int  # of the heading, 0-based


class Session(NamedTuple):
    """One conversation, ours or of an older dialect; what a file does not say is empty or 0."""

    id: str  # the file's name without its ending
    path: str
    agent: str
    task: str
    started: str
    ended: str
    outcome: str  # success, partial, failed, ongoing
    extracted_through: int  # the last round from which memories were taken
    condensed_through: int  # the last round that stands in the context pool
    request: str
    response: str
    turns: tuple[Turn, ...]
    torn: bool = False  # a crash left half a turn at the end, which is none of the turns


def rounds(turns: Iterable[Turn]) -> tuple[tuple[Turn, ...], ...]:
    """Give the turns by round: what a user said, and all that came of it."""
    return tuple(tuple(group) for _, group in groupby(turns, key=lambda turn: turn.number))
