"""The proof that a change does what it names and nothing else (laws 1 and 2)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from mdmem.core.document import Document
from mdmem.core.edit import Edit, apply_edits, ordered
from mdmem.core.text import Span


def verify(before: Document, edits: Sequence[Edit], after: Document) -> tuple[str, ...]:
    """List what is wrong with a change; an empty tuple is the proof.

    The bytes outside the edits must be the same, and every entry, heading and fence that no edit touches must still
    be one, with the same text: a bullet that would be swallowed by a code fence above it is caught here.
    """
    if after.text != apply_edits(before.text, edits):
        return ("the new text is not what the edits make of the old one",)
    done = _Done(edits)
    wrong = []
    entries = {(entry.text_span, entry.text) for entry in after.entries}
    for entry in before.entries:
        own = Span(entry.marker.start, max(entry.text_span.end, entry.marker.end))
        if done.spare(own) and (done.moved(entry.text_span), entry.text) not in entries:
            wrong.append(f"line {entry.line + 1}: this entry would no longer be one")
    titles = {(section.title_span, section.title) for section in after.sections}
    wrong += [
        f"line {before.lines.at(section.heading.start) + 1}: this heading would no longer be one"
        for section in before.sections
        if done.spare(section.heading) and (done.moved(section.title_span), section.title) not in titles
    ]
    fences = {fence.span.start for fence in after.fences}
    wrong += [
        f"line {fence.line + 1}: this code would no longer be code"
        for fence in before.fences
        if done.spare(fence.span) and done.moved(fence.span).start not in fences
    ]
    return tuple(wrong)


class _Done:
    """Ordered edits, found by place, so that many entries and many edits cost no more than their sum."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        self._edits = ordered(edits)
        self._ends = [edit.span.end for edit in self._edits]
        grown = (len(edit.new) - (edit.span.end - edit.span.start) for edit in self._edits)
        self._grown = list(accumulate(grown, initial=0))

    def spare(self, span: Span) -> bool:
        """Tell whether no edit touches a span."""
        for index in range(bisect_left(self._ends, span.start), len(self._edits)):
            if self._edits[index].span.start > span.end:
                return True
            if _touches(self._edits[index], span):
                return False
        return True

    def moved(self, span: Span) -> Span:
        """Give the place that a span outside every edit has after them."""
        by = self._grown[bisect_right(self._ends, span.start)]
        return Span(span.start + by, span.end + by)


def _touches(edit: Edit, span: Span) -> bool:
    """An insertion at a span's border touches it, unless a line ending stands between the two."""
    if edit.span.start == edit.span.end == span.end:
        return not edit.new.startswith(("\n", "\r"))
    if edit.span.end == span.start:
        return not (edit.new.endswith(("\n", "\r")) or edit.span.start < edit.span.end)
    return edit.span.start <= span.end and span.start <= edit.span.end
