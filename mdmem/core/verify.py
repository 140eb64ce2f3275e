"""The proof that a change does what it names and nothing else (laws 1 and 2)."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Document
from mdmem.core.edit import Edit, apply_edits, ordered, shift
from mdmem.core.text import Span


def verify(before: Document, edits: Sequence[Edit], after: Document) -> tuple[str, ...]:
    """List what is wrong with a change; an empty tuple is the proof.

    The bytes outside the edits must be the same, and every entry, heading and fence that no edit touches must still
    be one, with the same text: a bullet that would be swallowed by a code fence above it is caught here.
    """
    if after.text != apply_edits(before.text, edits):
        return ("the new text is not what the edits make of the old one",)
    done = ordered(edits)
    wrong = []
    entries = {(entry.text_span, entry.text) for entry in after.entries}
    for entry in before.entries:
        own = Span(entry.marker.start, max(entry.text_span.end, entry.marker.end))
        if _untouched(own, done) and (_moved(entry.text_span, done), entry.text) not in entries:
            wrong.append(f"line {entry.line + 1}: this entry would no longer be one")
    titles = {(section.title_span, section.title) for section in after.sections}
    wrong += [
        f"line {before.lines.at(section.heading.start) + 1}: this heading would no longer be one"
        for section in before.sections
        if _untouched(section.heading, done) and (_moved(section.title_span, done), section.title) not in titles
    ]
    fences = {fence.span.start for fence in after.fences}
    wrong += [
        f"line {fence.line + 1}: this code would no longer be code"
        for fence in before.fences
        if _untouched(fence.span, done) and shift(fence.span.start, done) not in fences
    ]
    return tuple(wrong)


def _untouched(span: Span, edits: Sequence[Edit]) -> bool:
    return not any(_touches(edit, span) for edit in edits)


def _touches(edit: Edit, span: Span) -> bool:
    """An insertion at a span's border touches it, unless a line ending stands between the two."""
    if edit.span.start == edit.span.end == span.end:
        return not edit.new.startswith(("\n", "\r"))
    if edit.span.end == span.start:
        return not (edit.new.endswith(("\n", "\r")) or edit.span.start < edit.span.end)
    return edit.span.start <= span.end and span.start <= edit.span.end


def _moved(span: Span, edits: Sequence[Edit]) -> Span:
    moved = shift(span.start, edits)
    return Span(moved, moved + span.end - span.start)
