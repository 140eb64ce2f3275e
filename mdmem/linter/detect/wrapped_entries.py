"""Splits text that runs over several lines into one-line entries, without losing a word."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from mdmem.formats.placeholders import is_placeholder
from mdmem.linter.rule import Subject
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.inline import BREAK, join, joint_at
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# The beginning of a line that was meant as an entry: a checkbox, a number, a bullet that Markdown does not know, or a
# marker without a blank. Before a Latin letter this counts only at the very start of a line: an indented `-la` is an
# option, and `*word*` is emphasis.
_OWN = pattern(
    r"(?P<box>\[[ xX]\](?=[ \t]))|(?P<number>\d{1,9}[.)](?=[ \t]))"
    r"|(?P<bullet>[•·‣▪◦●○][ \t]*(?=\S)|[–—－][ \t\u3000]+(?=\S)|-(?=[\u3005-\u9fff])"
    r"|(?<![^\r\n])(?:[-+](?=[^\W\d_]|\[[ xX]\][ \t])|\*(?=[^\W\d_][^\r\n*]*(?![^\r\n]))))"
)
# A caption in emphasis, or only comments: no memory.
_ASIDE = pattern(r"(?:(?:_[^_\r\n]+_|\*[^*\r\n]+\*)\s*)+|(?:<!--(?:(?!-->).)*-->\s*)+", re.DOTALL)


class WrappedEntry(NamedTuple):
    """Lines of prose, in a section of one-line entries, that would become one entry."""

    kind: str  # prose; bullet: begins with an unknown bullet; number: an item that Markdown does not recognise
    lead: Span  # indentation and bullet before the text of its first line
    span: Span
    fix: tuple[Edit, ...] = ()  # fixes the whole paragraph, because half of it would become part of the other half


def split(document: Document, span: Span, indent: str, *, each: bool) -> Iterator[Edit]:
    """Join the lines of an entry, but make an entry of each line that was meant as one.

    `each` is for the old fastmemo format, where a line that is not indented is a memory of its own, or a section.
    """
    text = document.text
    for match in BREAK.finditer(text, span.start, span.end):
        line_break, ending = Span(*match.span()), match.group(1)
        marked = _OWN.match(text, line_break.end)
        if marked and marked["number"]:
            yield Edit(line_break, ending + indent)
        elif marked:
            end = marked.end() if marked["bullet"] else line_break.end
            yield Edit(Span(line_break.start, end), f"{ending}{indent}- ")
        elif each and match.end() == match.end(1):
            section = document.bracket(document.lines.at(line_break.end))
            # the bracket is part of the edit, because the line will become something else
            whole = Span(line_break.start, line_break.end + 1) if section else line_break
            yield Edit(whole, f"{ending * 2}[" if section else f"{ending}- ")
        else:
            yield Edit(line_break, joint_at(text, *line_break))


def prose(subject: Subject) -> Iterator[WrappedEntry]:
    """Yield the prose in sections of one-line entries, split into the entries that it would become."""
    document = subject.document
    generated = [auto.span for auto in document.auto_blocks] if subject.memory else []
    starts = [auto.start for auto in generated]
    for first, last, each in _runs(subject):
        span = Span(document.lines.span(first).start, document.lines.span(last).end)
        text = span.of(document.text).strip()
        before = bisect_right(starts, span.start) - 1
        is_aside = not text or _ASIDE.fullmatch(text) or is_placeholder(text)
        if not is_aside and (before < 0 or generated[before].end <= span.start):
            pieces = _pieces(document, first, last, each=each)
            fix = tuple(_fix(document, pieces, last, each=each))
            yield from (piece._replace(fix=fix) for piece in pieces)


def _fix(document: Document, pieces: list[WrappedEntry], last: int, *, each: bool) -> Iterator[Edit]:
    """Yield edits that make an entry of each piece; none if a number may be a date, or an indented line follows."""
    lines = document.lines
    below = next((line for line in range(last + 1, len(lines)) if not lines.is_blank(line)), None)
    if any(piece.kind == "number" for piece in pieces) or (below and lines.text(below)[0] in " \t"):
        return
    for piece in pieces:
        yield Edit(piece.lead, "- ")
        yield from join(document.text, piece.span)
    # otherwise the section line would become part of the entry
    if each and below == last + 1 and document.bracket(below):
        end = Span(document.lines.span(last).end, document.lines.full(last).end)
        yield Edit.insert(end.end, end.of(document.text))


def _runs(subject: Subject) -> Iterator[tuple[int, int, bool]]:
    """Yield the paragraphs of those sections as ranges of lines, and whether the section is of the old format."""
    if subject.memory is None:
        return
    document, lines = subject.document, subject.document.lines
    paragraphs = [block for block in document.blocks if block.kind == "paragraph" and not (block.depth or block.quoted)]
    start = 0
    for section, rule in zip(document.sections, subject.section_rules, strict=True):
        first, last = lines.at(section.body.start), lines.at(max(section.body.start, section.body.end - 1))
        while start < len(paragraphs) and paragraphs[start].last_line < first:
            start += 1
        # text below the title of a file with sections introduces it
        if rule.form != "list" or (section.level == 1 and subject.memory.sections):
            continue
        index = start
        while index < len(paragraphs) and paragraphs[index].line <= last:
            block = paragraphs[index]
            yield max(first, block.line), min(last, block.last_line), section.style == "bracket"
            index += 1


def _pieces(document: Document, first: int, last: int, *, each: bool) -> list[WrappedEntry]:
    text = document.text
    pieces: list[WrappedEntry] = []
    for line in range(first, last + 1):
        line_span = document.lines.span(line)
        start = line_span.end - len(line_span.of(text).lstrip(" \t"))
        marked = _OWN.match(text, start)
        if pieces and not each and not marked:
            pieces[-1] = pieces[-1]._replace(span=Span(pieces[-1].span.start, line_span.end))
            continue
        kind = "prose" if not marked or marked["box"] else "number" if marked["number"] else "bullet"
        lead = Span(line_span.start, marked.end() if marked and kind == "bullet" else start)
        pieces.append(WrappedEntry(kind, lead, Span(lead.end, line_span.end)))
    return pieces
