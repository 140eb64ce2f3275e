"""Finds merge conflicts in a text by the marks that git leaves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.linter.views.hidden_characters import in_code_block
from mdmem.text.document import Document
from mdmem.text.edit import Edit, ordered
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# A mark has seven signs, or as many more as git was asked for. Behind `|||||||` stands the base; a row of a table has
# more bars.
_MARK = pattern(
    r"(?<![^\r\n])(?:(?P<sign>[<>])(?P=sign){6,} [^\r\n]*|={7,}(?=[\r\n]|\Z)|\|{7,} [^\r\n|]*(?=[\r\n]|\Z))"
)
_BEGINNINGS = ("<<<<<<< ", ">>>>>>> ", "||||||| ")


def conflicts(document: Document) -> Iterator[Span]:
    """Yield each conflict, or what is left of it; `=======` alone underlines a heading, and code blocks are skipped."""
    text = document.text
    if not any(one in text for one in _BEGINNINGS):
        return
    start: Span | None = None
    begun = divided = 0  # the lengths of the marks
    for match in _MARK.finditer(text):
        span, mark = Span(*match.span()), match.group()[0]
        length = len(match.group()) - len(match.group().lstrip(mark))
        if in_code_block(document, span.start) or (start and mark != "<" and length != begun):
            continue
        if mark == "<":
            if start and length == begun:
                yield start
            if not start or length == begun:  # marks of another length are those of a base
                start, begun = span, length
        elif mark == "=":
            divided = length
            continue
        elif mark == "|":
            if not start:
                yield span
        elif start or divided == length:
            yield Span(start.start, span.end) if start else span
            start = None
        divided = 0
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
