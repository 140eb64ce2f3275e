"""How text that runs over several lines becomes entries of one line each, without losing a word of it."""

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

# What begins a line that was meant as an entry: a checkbox, a number, a bullet that Markdown does not know.
_OWN = pattern(
    r"(?P<box>\[[ xX]\](?=[ \t]))|(?P<number>\d{1,9}[.)](?=[ \t]))"
    r"|(?P<bullet>[•·‣▪◦●○][ \t]*(?=\S)|[–—][ \t]+(?=\S)|-(?=[\u3005-\u9fff]))"
)
# A caption in emphasis, or nothing but comments: no memory.
_ASIDE = pattern(r"(?:(?:_[^_\r\n]+_|\*[^*\r\n]+\*)\s*)+|(?:<!--(?:(?!-->).)*-->\s*)+", re.DOTALL)


class WrappedEntry(NamedTuple):
    """Lines of prose in a section of one-line entries that would make one entry."""

    kind: str  # prose; bullet: begins with one that Markdown does not know; number: an item that Markdown missed
    lead: Span  # what comes before the text on its first line: indentation and bullet
    span: Span
    fix: tuple[Edit, ...] = ()  # of the whole paragraph: one half of it would be swallowed by the other


def split(document: Document, span: Span, indent: str, *, each: bool) -> Iterator[Edit]:
    """Make one line of an entry's lines, but entries of those that were meant as such.

    `each` is for the old fastmemo format, where a line that is not indented is a memory of its own, or a section.
    """
    text = document.text
    for match in BREAK.finditer(text, span.start, span.end):
        place, ending = Span(*match.span()), match.group(1)
        marked = _OWN.match(text, place.end)
        if marked and marked["number"]:
            yield Edit(place, ending + indent)
        elif marked:
            end = marked.end() if marked["bullet"] else place.end
            yield Edit(Span(place.start, end), f"{ending}{indent}- ")
        elif each and match.end() == match.end(1):
            section = document.bracket(document.lines.at(place.end))
            # the bracket belongs to the edit: that line is meant to become something else
            whole = Span(place.start, place.end + 1) if section else place
            yield Edit(whole, f"{ending * 2}[" if section else f"{ending}- ")
        else:
            yield Edit(place, joint_at(text, *place))


def prose(subject: Subject) -> Iterator[WrappedEntry]:
    """Find what stands as prose in sections of one-line entries, taken apart into what each entry would be."""
    document = subject.document
    generated = [auto.span for auto in document.auto_blocks] if subject.memory else []
    starts = [auto.start for auto in generated]
    for first, last, each in _runs(subject):
        span = Span(document.lines.span(first).start, document.lines.span(last).end)
        said = span.of(document.text).strip()
        before = bisect_right(starts, span.start) - 1
        aside = not said or _ASIDE.fullmatch(said) or is_placeholder(said)
        if not aside and (before < 0 or generated[before].end <= span.start):
            pieces = _pieces(document, first, last, each=each)
            fix = tuple(_mend(document, pieces, last, each=each))
            yield from (piece._replace(fix=fix) for piece in pieces)


def _mend(document: Document, pieces: list[WrappedEntry], last: int, *, each: bool) -> Iterator[Edit]:
    """Make an entry of each piece; of none where one is a number that may be a date, or an item below would move in."""
    lines = document.lines
    below = next((line for line in range(last + 1, len(lines)) if not lines.is_blank(line)), None)
    if any(piece.kind == "number" for piece in pieces) or (below and lines.text(below)[0] in " \t"):
        return
    for piece in pieces:
        yield Edit(piece.lead, "- ")
        yield from join(document.text, piece.span)
    if each and below == last + 1 and document.bracket(below):  # the section line would become part of the entry
        end = Span(document.lines.span(last).end, document.lines.full(last).end)
        yield Edit.insert(end.end, end.of(document.text))


def _runs(subject: Subject) -> Iterator[tuple[int, int, bool]]:
    """Give the paragraphs of those sections as ranges of lines, and whether the section is of the old format."""
    if subject.memory is None:
        return
    document, lines = subject.document, subject.document.lines
    paragraphs = [block for block in document.blocks if block.kind == "paragraph" and not (block.depth or block.quoted)]
    at = 0
    for section, rule in zip(document.sections, subject.section_rules, strict=True):
        first, last = lines.at(section.body.start), lines.at(max(section.body.start, section.body.end - 1))
        while at < len(paragraphs) and paragraphs[at].last_line < first:
            at += 1
        # what stands below the title of a file with sections introduces it
        if rule.form != "list" or (section.level == 1 and subject.memory.sections):
            continue
        index = at
        while index < len(paragraphs) and paragraphs[index].line <= last:
            block = paragraphs[index]
            yield max(first, block.line), min(last, block.last_line), section.style == "bracket"
            index += 1


def _pieces(document: Document, first: int, last: int, *, each: bool) -> list[WrappedEntry]:
    text = document.text
    found: list[WrappedEntry] = []
    for line in range(first, last + 1):
        whole = document.lines.span(line)
        start = whole.end - len(whole.of(text).lstrip(" \t"))
        marked = _OWN.match(text, start)
        if found and not each and not marked:
            found[-1] = found[-1]._replace(span=Span(found[-1].span.start, whole.end))
            continue
        kind = "prose" if not marked or marked["box"] else "number" if marked["number"] else "bullet"
        lead = Span(whole.start, marked.end() if marked and kind == "bullet" else start)
        found.append(WrappedEntry(kind, lead, Span(lead.end, whole.end)))
    return found
