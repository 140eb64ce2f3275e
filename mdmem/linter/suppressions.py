"""Suppressions: `<!-- mdmem: allow CODE -->` marks in a file.

A mark covers its line. Alone on its line, it covers the block below. Above the first heading or entry, with only marks
and comments before it, it covers the whole file. One that covers no finding is itself a finding. Safety rules (MM5xx)
cannot be suppressed for a whole file, because one planted line could then hide all that follows it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mdmem.text.document import Comment, Document
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_ALLOW = pattern(r"\s*mdmem:\s*allow\s+([\w,\s-]+?)\s*\Z")


class Suppression(NamedTuple):
    """A suppression: its span, the codes or names that it allows, and the lines that it covers."""

    span: Span
    codes: tuple[str, ...]
    first: int
    last: int
    whole: bool = False  # it is above all text and covers the file

    def allows(self, code: str, name: str) -> bool:
        """Return whether a rule is allowed; a prefix with a digit (`MM3`) allows a family, a bare `MM` nothing."""
        if self.whole and code.startswith("MM5"):
            return False
        named = (word for word in self.codes if word[-1].isdigit() or name == word.lower())
        return any(name == word.lower() or code.startswith(word.upper()) for word in named)


def read_suppressions(document: Document) -> tuple[Suppression, ...]:
    """Return the suppressions of a document."""
    if "mdmem:" not in document.text or "allow" not in document.text:
        return ()
    matches = ((comment, _ALLOW.match(comment.text)) for comment in document.comments)
    lines_of = _SuppressedLines(document)
    return tuple(
        Suppression(
            comment.span, tuple(re.findall(r"[\w-]+", match.group(1))), *lines_of.of(comment), lines_of.whole(comment)
        )
        for comment, match in matches
        if match
    )


def is_mark(comment: Comment) -> bool:
    """Return whether a comment is a suppression."""
    return "mdmem:" in comment.text and _ALLOW.match(comment.text) is not None


def allowed(suppressions: Sequence[Suppression], lines: Iterable[int], used: set[Suppression]) -> set[int]:
    """Return the lines, of those with a finding, that the suppressions cover; add each that covers one to `used`."""
    sorted_lines = sorted(set(lines))
    covered: set[int] = set()
    done = 0  # lines before this index are covered already
    for suppression in sorted(suppressions, key=lambda suppression: suppression.first):
        begin, end = bisect_left(sorted_lines, suppression.first), bisect_right(sorted_lines, suppression.last)
        if begin < end:
            used.add(suppression)
            covered.update(sorted_lines[max(begin, done) : end])
            done = max(done, end)
    return covered


class _SuppressedLines:
    """Computes which lines a suppression covers."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.starts = [block.line for block in document.blocks]
        # the first line that is not a comment
        self.first_text = next((block.line for block in document.blocks if block.kind != "html"), len(document.lines))
        if document.sections:
            self.first_text = min(self.first_text, document.lines.at(document.sections[0].heading.start))

    def whole(self, comment: Comment) -> bool:
        """Return whether a suppression is above all text."""
        return self.document.lines.at(comment.span.start) < self.first_text

    def of(self, comment: Comment) -> tuple[int, int]:
        """Return the first and the last line that a suppression covers."""
        lines, text = self.document.lines, self.document.text
        first, last = lines.at(comment.span.start), lines.at(comment.span.end)
        before = text[max(self.document.start, lines.start(first)) : comment.span.start]
        after = text[comment.span.end : lines.end(last)]
        if before.strip() or after.strip():
            return first, last
        if self.whole(comment):
            return 0, len(lines)
        next_block = bisect_right(self.starts, last)
        return first, self.document.blocks[next_block].last_line if next_block < len(self.starts) else last
