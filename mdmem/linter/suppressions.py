"""`<!-- mdmem: allow CODE -->`: where a person has looked and decided.

A mark covers the line it stands on; alone on its line, the block below it; above the first heading or entry with
nothing but marks and comments before it, the whole file. One that covers no finding is itself a finding.
Safety (MM5xx) is allowed place by place, never for a file: one planted line must not silence what follows it.
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
    """A suppression: its place, the codes or names it allows, and the lines it covers."""

    span: Span
    codes: tuple[str, ...]
    first: int
    last: int
    whole: bool = False  # it stands above everything

    def allows(self, code: str, name: str) -> bool:
        """Tell whether a rule is named; a prefix with a digit (`MM3`) allows a family, a bare `MM` nothing."""
        if self.whole and code.startswith("MM5"):
            return False
        named = (word for word in self.codes if word[-1].isdigit() or name == word.lower())
        return any(name == word.lower() or code.startswith(word.upper()) for word in named)


def marks(document: Document) -> tuple[Suppression, ...]:
    """Read the suppression marks of a document."""
    if "mdmem:" not in document.text or "allow" not in document.text:
        return ()
    found = ((comment, _ALLOW.match(comment.text)) for comment in document.comments)
    reach = _SuppressedLines(document)
    return tuple(
        Suppression(
            comment.span, tuple(re.findall(r"[\w-]+", match.group(1))), *reach.of(comment), reach.whole(comment)
        )
        for comment, match in found
        if match
    )


def is_mark(comment: Comment) -> bool:
    """Tell whether a comment is a suppression."""
    return "mdmem:" in comment.text and _ALLOW.match(comment.text) is not None


def allowed(given: Sequence[Suppression], lines: Iterable[int], used: set[Suppression]) -> set[int]:
    """Give the lines, of those that have a finding, that the marks cover; adds the marks that cover one to `used`."""
    found = sorted(set(lines))
    covered: set[int] = set()
    done = 0  # all lines before this index are looked at
    for mark in sorted(given, key=lambda mark: mark.first):
        begin, end = bisect_left(found, mark.first), bisect_right(found, mark.last)
        if begin < end:
            used.add(mark)
            covered.update(found[max(begin, done) : end])
            done = max(done, end)
    return covered


class _SuppressedLines:
    """Tells which lines a mark covers."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.starts = [block.line for block in document.blocks]
        # where something stands that is no comment
        self.body = next((block.line for block in document.blocks if block.kind != "html"), len(document.lines))
        if document.sections:
            self.body = min(self.body, document.lines.at(document.sections[0].heading.start))

    def whole(self, comment: Comment) -> bool:
        """Tell whether a mark stands above everything."""
        return self.document.lines.at(comment.span.start) < self.body

    def of(self, comment: Comment) -> tuple[int, int]:
        lines, text = self.document.lines, self.document.text
        first, last = lines.at(comment.span.start), lines.at(comment.span.end)
        before = text[max(self.document.start, lines.start(first)) : comment.span.start]
        behind = text[comment.span.end : lines.end(last)]
        if before.strip() or behind.strip():
            return first, last
        if self.whole(comment):
            return 0, len(lines)
        below = bisect_right(self.starts, last)
        return first, self.document.blocks[below].last_line if below < len(self.starts) else last
