"""The types of the keeper: task, operation, problem and plan; and the lines of an operation's content."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from mdmem.formats.joined_line import NO_ORIGINALS, Originals
from mdmem.formats.template import Template
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.entry import bare
from mdmem.text.pattern import pattern
from mdmem.wording.importance import ImportanceScorer

_LINE_END = pattern(r"\r\n|\r|\n")


def lines_of(content: str) -> tuple[str, ...]:
    """Return the lines of a content without bullets and blank lines."""
    stripped = (line.strip() for line in _LINE_END.split(content))
    return tuple(text for line in stripped if (text := bare(line)))


def content_of(lines: tuple[str, ...]) -> str:
    """Return lines as the content of an operation."""
    return "\n".join(f"- {line}" for line in lines)


class Operation(NamedTuple):
    """The new entries of one section, one per line, as a backend answers them (F034)."""

    path: str
    section: str
    content: str


class PlanProblem(NamedTuple):
    """Why an answer is not written: the key of a message and its facts."""

    kind: str
    facts: Mapping[str, object] = {}  # not modified


class RemovedEntry(NamedTuple):
    """An entry that leaves its file for the archive."""

    entry: Entry
    why: str  # compacted, merged, outdated, expired
    texts: tuple[str, ...] | None = None  # the originals to archive; None for the entry as it is


class ExtraEntries(NamedTuple):
    """A section that keeps more entries than its template wants, and why."""

    section: str
    left: int
    wanted: int
    why: str  # rules: they stay word for word and need more lines; alone: entries that cannot be joined


class CompactionPlan(NamedTuple):
    """The computed changes of one file; nothing is written yet."""

    path: str
    edits: tuple[Edit, ...]
    gone: tuple[RemovedEntry, ...]
    sections: Mapping[str, tuple[int, int]]  # number of entries before and after, by changed section
    archived_only: tuple[str, ...] = ()  # the entries that are only in the archive afterwards
    extra: tuple[ExtraEntries, ...] = ()


class CompactionTask(NamedTuple):
    """The inputs for condensing one file."""

    path: str
    document: Document
    template: Template
    scorer: ImportanceScorer
    near: float  # share of common words at which two entries count as duplicates
    is_form: Callable[[str], bool] = lambda _: False  # whether a text is a line of a form
    unfit: Callable[[str], bool] = lambda _: False  # whether the gate refuses a text
    lang: str = "zh"
    originals: Originals = NO_ORIGINALS  # the archived entries that joined lines were made of
    sessions: tuple[date, ...] = ()  # the days of all sessions, sorted; a time to live may count sessions

    @property
    def today(self) -> date:
        """The date of the run."""
        return self.scorer.today

    @property
    def compacts(self) -> bool:
        """Return whether sections are condensed to a few entries each; otherwise the file is tidied or rolled up."""
        return any(spec.entries.compact_at for spec in self.template.sections)
