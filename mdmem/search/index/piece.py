"""The indexed content of a file: headings, and pieces (entries, turns, paragraphs)."""

from __future__ import annotations

import re
from typing import NamedTuple

from mdmem.text.pattern import pattern

_HIDDEN = pattern(
    "<!--.*?(?:-->|\\Z)|[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]",
    re.DOTALL,
)
KINDS = ("entry", "turn", "text", "heading", "summary", "episode")
ENTRIES = ("entry", "episode")  # pieces that are entries of a file


class HeadingPath(NamedTuple):
    """A heading with those above it, shared by the pieces below."""

    title: str  # of the heading; empty before the first
    trail: str  # the titles above it, joined by ` › `
    date: str  # ISO: the heading's, else the file's; may be empty
    words: str  # its searchable text: title, trail, file name, keywords of the front matter


class IndexedPiece(NamedTuple):
    """A row of the index: a searchable piece of a file."""

    start: int  # in characters of the file's text; an undecodable byte is one character
    end: int
    line: int  # 0-based
    kind: str  # one of KINDS
    spot: int  # index of its heading
    date: str  # its own, else its heading's
    speaker: str  # the speaker of a turn, or of `- Ann: …`
    text: str  # the visible text: no comments, no invisible characters
    words: str  # the searchable text: without metadata


class IndexedContent(NamedTuple):
    """The indexed content of one file."""

    spots: tuple[HeadingPath, ...]
    pieces: tuple[IndexedPiece, ...]
    agent: str  # the owner; empty if shared
    tags: tuple[str, ...]  # of its front matter


def visible(text: str) -> str:
    """Return the visible text: without comments and invisible characters (law 11)."""
    return text if text.isascii() and "<!--" not in text else _HIDDEN.sub("", text)
