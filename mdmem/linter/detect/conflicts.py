"""Find the merge conflicts in a text, by the marks that git leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.linter.detect.hidden_characters import in_code_block
from mdmem.text.document import Document
from mdmem.text.edit import Edit, ordered
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_MARK = pattern(r"(?<![^\r\n])(?:<{7} [^\r\n]*|={7}(?=[\r\n]|\Z)|>{7} [^\r\n]*)")


def conflicts(document: Document) -> Iterator[Span]:
    """Return each conflict, whole or what is left of it; `=======` alone underlines a heading, code shows anything."""
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
    """Return the first conflict of the new text that an edit changes; one that the edits remove is not there."""
    found = list(conflicts(after))
    moved = 0
    for edit in ordered(edits) if found else ():
        begin = edit.span.start + moved
        end = begin + len(edit.new)
        moved += len(edit.new) - (edit.span.end - edit.span.start)
        for one in found:
            kept = begin <= one.start and one.end <= end and one.of(after.text) in before
            if begin < one.end and end > one.start and not kept:
                return one
    return None
