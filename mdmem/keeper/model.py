"""The types of condensing: the task and the plan of one file. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from typing import NamedTuple

from mdmem.formats.joined_line import NO_ORIGINALS, Originals
from mdmem.formats.template import Template
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.wording.importance import ImportanceScorer


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
