"""Finds merge conflicts in a text by the marks that git leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.linter.views.hidden_characters import in_code_block
from mdmem.text.document import Document
from mdmem.text.edit import Edit, ordered
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_MARK = pattern(r"(?<![^\r\n])(?:<{7} [^\r\n]*|={7}(?=[\r\n]|\Z)|>{7} [^\r\n]*)")


def conflicts(document: Document) -> Iterator[Span]:
    """Yield each conflict, or what is left of it; `=======` alone underlines a heading, and code blocks are skipped."""
    text = document.text
    if "<<<<<<< " not in text and ">>>>>>> " not in text:
        return
    start: Span | None = None
    divided = False
    for match in _MARK.finditer(text):
        span, mark = Span(*match.span()), match.group()[0]
        if in_code_block(document, span.start):
            continue
        if mark == "<":
            if start:
                yield start
            start = span
        elif mark == "=":
            divided = True
            continue
        elif start or divided:
            yield Span(start.start, span.end) if start else span
            start = None
        divided = False
    if start:
        yield start


def edited_conflict(before: str, edits: Sequence[Edit], after: Document) -> Span | None:
    """Return the first conflict of the new text that an edit touches; one that an edit only moves does not count."""
    all_conflicts = list(conflicts(after))
    shift = 0
    for edit in ordered(edits) if all_conflicts else ():
        begin = edit.span.start + shift
        end = begin + len(edit.new)
        shift += len(edit.new) - (edit.span.end - edit.span.start)
        for conflict in all_conflicts:
            is_moved = begin <= conflict.start and conflict.end <= end and conflict.of(after.text) in before
            if begin < conflict.end and end > conflict.start and not is_moved:
                return conflict
    return None
