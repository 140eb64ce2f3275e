"""What an intent comes to: edits, and what the caller must be told about his text."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.core.edit import Edit
from mdmem.core.record import NamedTuple


class Note(NamedTuple):
    """A fact about what became of the caller's text; doors put it into words.

    joined         lines were made one                        text
    unmarked       a list marker in front was dropped         text
    escaped        a character was escaped, else the text would be no entry, or hidden     text
    duplicate      the section says this already: not added   text, key, line (1-based; 0: earlier in the same call)
    full           the section has no room                    section, max, texts (complete, with fields)
    section-made   the section was missing                    section
    removed        what leaves the file                       texts (nested entries included)
    nested         entries that go with the one above them    texts
    loose-match    the text was found by its words, its white space differs      line (1-based)
    unchanged      nothing to do
    """

    kind: str
    facts: Mapping[str, object] = {}  # never changed


class Intent(NamedTuple):
    """The edits that do what was meant; none where there is nothing to do."""

    edits: tuple[Edit, ...]
    notes: tuple[Note, ...] = ()
