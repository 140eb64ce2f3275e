"""MM304: an entry without text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.spans import Span

_NO_TEXT = frozenset(("", "[ ]", "[x]", "[X]"))


def check(subject: Subject) -> Iterator[Finding]:
    """Find items with neither text nor anything below them; a checkbox alone is no text.

    Several of them that are all of their section are a form that waits to be filled in: notes, which no fix removes.
    """
    starts = frozenset(item.entry.line for item in subject.items)
    empty = [
        item
        for item, following in zip_longest(subject.items, subject.items[1:])
        if item.entry.text.strip() in _NO_TEXT
        and not item.entry.blocks
        and (following is None or following.entry.depth <= item.entry.depth)
    ]
    of_section = Counter(map(_section, subject.items)) if empty else Counter()
    empty_of_section = Counter(map(_section, empty))
    for item in empty:
        whole = Span(item.entry.marker.start, item.entry.span.end)
        if 1 < empty_of_section[_section(item)] == of_section[_section(item)]:
            yield Finding(whole, severity="note")
        else:
            yield Finding(whole, fix=(Edit.delete(_span_to_delete(subject.document, item.entry, starts)),))


def _section(item: RuleEntry) -> int:
    return item.section.heading.start if item.section else -1


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
