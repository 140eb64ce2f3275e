"""What is ranked: a line of a memory with what the index knows of it; nothing here says where it is kept."""

from __future__ import annotations

from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple

_FIELD = pattern(r"\[[\w-]+::[^\[\]\n]*\]|(?<=\s)\^[\w-]+\s*\Z")
_DATE = pattern(r"\A\d{4}-\d{2}-\d{2}(?:[ T]\d{1,2}:\d{2})?\s*[:：,，]?\s*")


def plain(text: str) -> str:
    """Return a line without its fields and id: what lines are compared by."""
    return _FIELD.sub("", text) if "::" in text or "^" in text else text


class Row(NamedTuple):
    """A line that may answer; a neighbour of such lines comes with no score of its own."""

    path: str
    line: int  # 1-based
    place: int  # its number among the rows of its file, so that neighbours are one apart
    text: str
    kind: str = ""
    date: str = ""  # ISO 8601, of the line or of its file
    who: str = ""  # who says it, or whom it is about
    words: float = 0.0  # how well the question's words fit (BM25, more is better)
    held: tuple[tuple[int, float], ...] = ()  # the number and score of each term that it holds
    length: int = 0  # in terms
    context: float = 0.0  # the same of the last rounds' words
    meaning: float = 0.0  # likeness in a vector backend, 0 to 1
    story: bool = False  # its file tells one story: what stands around a line belongs to it
    subject: str = ""
    predicate: str = ""
    type: str = ""  # FACT, PREFERENCE, RULE, SKILL, ERROR and what else a memory calls its entries (K105)
    tags: tuple[str, ...] = ()
    importance: float = 0.5  # 0 to 1
    opened: int = 0  # how often it was recalled
    key: str = ""
    old: bool = False  # the memory itself says that something took its place

    @property
    def said(self) -> str:
        """What it says, without the date in front."""
        return _DATE.sub("", self.text, count=1) if self.date and self.text.startswith(self.date[:10]) else self.text

    @property
    def plain(self) -> str:
        """What it says, without the date in front, fields and id: what lines are compared by."""
        return plain(self.said)


class Found(NamedTuple):
    """A row with its score and what speaks for it, the strongest first."""

    row: Row
    score: float  # 0 to 1: of the best relevance there can be here
    why: tuple[str, ...]  # newest, words, context, meaning, time, neighbours, story, asked
