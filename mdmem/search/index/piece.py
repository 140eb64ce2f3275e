"""What an index holds of a file: places (a heading with those above it) and pieces (an entry, a turn, a paragraph)."""

from __future__ import annotations

import re
from typing import NamedTuple

from mdmem.text.pattern import pattern

_HIDDEN = pattern(
    "<!--.*?(?:-->|\\Z)|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]",
    re.DOTALL,
)
KINDS = ("entry", "turn", "text", "heading", "summary")


class HeadingPath(NamedTuple):
    """A place in a file that its pieces share: the heading they stand under."""

    title: str  # of the heading; empty before the first
    trail: str  # the titles above it, ` › ` between
    date: str  # ISO; the heading's, else the file's; empty where neither has one
    words: str  # what the place is found by: title, trail, the file's name, its front matter's key words


class IndexedPiece(NamedTuple):
    """A row of the index: a piece of a file's text that may be found."""

    start: int  # characters of the file's text, undecodable bytes one each
    end: int
    line: int  # 0-based
    kind: str  # one of KINDS
    spot: int  # which place
    date: str  # its own, else its place's
    speaker: str  # who says it, as in `- Ann: …`, or a turn's
    text: str  # what is seen of it: no comments, no invisible characters
    words: str  # the same without data about it: what it is found by


class IndexedContent(NamedTuple):
    """All that an index holds of one file."""

    spots: tuple[HeadingPath, ...]
    pieces: tuple[IndexedPiece, ...]
    agent: str  # whose it is; empty for everybody's
    tags: tuple[str, ...]  # of its front matter


def visible(text: str) -> str:
    """Return what a reader sees of a text: no comments, no invisible characters (law 11)."""
    return text if text.isascii() and "<!--" not in text else _HIDDEN.sub("", text)
