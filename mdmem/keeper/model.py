"""The entries in an operation's content: one a line, with or without a bullet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from mdmem.formats.joined_line import NO_ORIGINALS, Originals
from mdmem.formats.template import Template
from mdmem.keeper.condensing.importance import ImportanceScorer
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.entry import bare
from mdmem.text.pattern import pattern

_LINE_END = pattern(r"\r\n|\r|\n")


def lines_of(content: str) -> tuple[str, ...]:
    """Return the lines of a content without their bullets; blank ones are left out."""
    stripped = (line.strip() for line in _LINE_END.split(content))
    return tuple(said for line in stripped if (said := bare(line)))


def content_of(lines: tuple[str, ...]) -> str:
    """Write lines as an operation's content."""
    return "\n".join(f"- {line}" for line in lines)


class Operation(NamedTuple):
    """One answer of a keeper: these entries, one a line, are what a section is to hold (F034)."""

    path: str
    section: str
    content: str


class PlanProblem(NamedTuple):
    """Why an answer is not written; worded in Chinese and English where it is shown."""

    kind: str
    facts: Mapping[str, object] = {}  # never changed


class RemovedEntry(NamedTuple):
    """An entry that leaves its file, and what for: it goes to the archive."""

    entry: Entry
    why: str  # compacted, merged, outdated, expired
    texts: tuple[str, ...] | None = None  # what of it is archived; None: all of it, as it stands


class CompactionPlan(NamedTuple):
    """What becomes of one file; nothing is written yet."""

    path: str
    edits: tuple[Edit, ...]
    gone: tuple[RemovedEntry, ...]
    sections: Mapping[str, tuple[int, int]]  # of each section that changes: entries before and after
    away: tuple[str, ...] = ()  # the entries that stood in the file, and now stand in the archive only


class CompactionTask(NamedTuple):
    """All that a keeper needs to know to condense one file."""

    path: str
    document: Document
    template: Template
    weigher: ImportanceScorer
    near: float  # share of common words from which two entries say the same
    is_form: Callable[[str], bool] = lambda _: False  # is a text a line of a form, which is filled in, not condensed?
    unfit: Callable[[str], bool] = lambda _: False  # may a text not be written anew: a secret, hidden text, an order?
    lang: str = "zh"
    originals: Originals = NO_ORIGINALS  # the archived entries that this file's lines were made of
    sessions: tuple[date, ...] = ()  # the days of the sessions there were, sorted: a time to live may be told in them

    @property
    def today(self) -> date:
        """The day of the run."""
        return self.weigher.today

    @property
    def compacts(self) -> bool:
        """Return whether the file's sections are condensed to a few entries each; else the file is tidied."""
        return any(spec.entries.compact_at for spec in self.template.sections)
