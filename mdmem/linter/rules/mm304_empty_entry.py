"""MM304: an entry without text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.spans import Span

_NO_TEXT = frozenset(("", "[ ]", "[x]", "[X]"))


def check(subject: Subject) -> Iterator[Finding]:
    """Find items with neither text nor anything below them; a checkbox alone is no text."""
    starts = frozenset(item.entry.line for item in subject.items)
    for item, following in zip_longest(subject.items, subject.items[1:]):
        entry = item.entry
        childless = not entry.blocks and (following is None or following.entry.depth <= entry.depth)
        if childless and entry.text.strip() in _NO_TEXT:
            span = _span_to_delete(subject.document, entry, starts)
            yield Finding(Span(entry.marker.start, entry.span.end), fix=(Edit.delete(span),))


def _span_to_delete(document: Document, entry: Entry, starts: frozenset[int]) -> Span:
    """Return the line with its ending; only its text beside another marker or a paragraph."""
    line = document.lines.span(entry.line)
    if document.text[line.start : entry.marker.start].strip(" \t"):
        return Span(entry.marker.start, line.end)
    below = entry.last_line + 1
    is_separate = below >= len(document.lines) or document.lines.is_blank(below) or below in starts
    return document.lines.full(entry.line, entry.last_line) if is_separate else Span(line.start, line.end)


RULE = Rule(
    "MM304",
    "empty-entry",
    "warning",
    check,
)
