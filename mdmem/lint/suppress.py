"""`<!-- mdmem: allow CODE -->`: where a person has looked and decided.

A mark covers the line it stands on; alone on its line, the block below it; above the first heading or entry with
nothing but marks and comments before it, the whole file. One that covers no finding is itself a finding.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mdmem.core.document import Comment, Document
from mdmem.core.text import Span

_ALLOW = re.compile(r"\s*mdmem:\s*allow\s+([\w,\s-]+?)\s*\Z")


class Mark(NamedTuple):
    """A suppression: its place, the codes or names it allows, and the lines it covers."""

    span: Span
    codes: tuple[str, ...]
    first: int
    last: int

    def covers(self, line: int, code: str, name: str) -> bool:
        """Tell whether a finding on a line is allowed; a code's prefix allows its whole family."""
        return self.first <= line <= self.last and any(code.startswith(c) or name == c for c in self.codes)


def marks(document: Document) -> tuple[Mark, ...]:
    """Read the suppression marks of a document."""
    if "mdmem:" not in document.text or "allow" not in document.text:
        return ()
    return tuple(
        Mark(comment.span, tuple(re.split(r"[\s,]+", match.group(1))), *_covers(document, comment))
        for comment in document.comments
        if (match := _ALLOW.match(comment.text))
    )


def is_mark(comment: Comment) -> bool:
    """Tell whether a comment is a suppression."""
    return _ALLOW.match(comment.text) is not None


def _covers(document: Document, comment: Comment) -> tuple[int, int]:
    lines = document.lines
    line = lines.at(comment.span.start)
    around = lines.span(line)
    alone = not (
        document.text[around.start : comment.span.start] + document.text[comment.span.end : around.end]
    ).strip()
    if not alone:
        return line, lines.at(comment.span.end)
    before = [block for block in document.blocks if block.line < line]
    if all(block.kind == "html" for block in before) and _above_everything(document, comment):
        return 0, len(lines)
    below = next((block for block in document.blocks if block.line > line), None)
    return (line, below.last_line) if below else (line, line)


def _above_everything(document: Document, comment: Comment) -> bool:
    starts: Iterable[int] = (
        *(section.heading.start for section in document.sections[:1]),
        *(entry.span.start for entry in document.entries[:1]),
    )
    return all(comment.span.start < start for start in starts)


def unused(found: Sequence[Mark], used: set[Mark]) -> list[Mark]:
    """List the marks that covered nothing."""
    return [mark for mark in found if mark not in used]
