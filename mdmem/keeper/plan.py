"""What a keeper proposes: operations as it answers them, and the plan that comes of those for one file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date

from mdmem.core.document import Document, Entry
from mdmem.core.edit import Edit
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template
from mdmem.keeper.piece import NO_ORIGINALS, Originals
from mdmem.keeper.weigh import Weigher


class Operation(NamedTuple):
    """One answer of a keeper: these entries, one a line, are what a section is to hold (F034)."""

    path: str
    section: str
    content: str


class Problem(NamedTuple):
    """Why an answer is not written; worded in Chinese and English where it is shown."""

    kind: str
    facts: Mapping[str, object] = {}  # never changed


class Gone(NamedTuple):
    """An entry that leaves its file, and what for: it goes to the archive."""

    entry: Entry
    why: str  # compacted, merged, outdated, expired
    texts: tuple[str, ...] | None = None  # what of it is archived; None: all of it, as it stands


class Plan(NamedTuple):
    """What becomes of one file; nothing is written yet."""

    path: str
    edits: tuple[Edit, ...]
    gone: tuple[Gone, ...]
    sections: Mapping[str, tuple[int, int]]  # of each section that changes: entries before and after
    away: tuple[str, ...] = ()  # the entries that stood in the file, and now stand in the archive only


class Task(NamedTuple):
    """All that a keeper needs to know to condense one file."""

    path: str
    document: Document
    template: Template
    weigher: Weigher
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
        """Tell whether the file's sections are condensed to a few entries each; else the file is tidied."""
        return any(spec.entries.compact_at for spec in self.template.sections)
