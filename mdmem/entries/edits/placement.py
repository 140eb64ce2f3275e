"""Insertion point and list style (marker, indent, spacing) for new entries, copied from their neighbours.

Entries go below the last one of their section and above its closing lines (a rule, a line in italics, a comment). If
the text would not be parsed as an entry there (an open fence, an HTML block, a lazy paragraph), blank lines are tried,
then insertion points further up. Each candidate is verified by parsing; if none holds, the change is refused.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from mdmem.entries.edits.content import EditNote, EditPlan, require_unicode
from mdmem.errors import UsageError, VerificationError
from mdmem.formats.template import SectionSpec, Template, fold
from mdmem.text.document import Document, Entry, Section, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.inline import one_line
from mdmem.text.spans import Span
from mdmem.text.verify import violations

_TRIES = 24  # candidates verified for one change; the first holds for almost every file


class InsertionRegion(NamedTuple):
    """The span that holds the entries of a section, or of a whole file."""

    span: Span
    entries: tuple[Entry, ...]  # outermost entries outside generated blocks
    heading: Span | None


def insertion_region(document: Document, section: Section | None) -> InsertionRegion:
    """Return the region of a section; of the whole file for None."""
    entries = section.entries if section else document.entries
    autos = [auto.span for auto in document.auto_blocks]
    own = tuple(one for one in entries if not one.depth and not any(auto.holds(one.marker) for auto in autos))
    if section:
        return InsertionRegion(section.body, own, section.heading)
    return InsertionRegion(Span(document.start, len(document.text)), own, None)


def append(document: Document, where: InsertionRegion, texts: Sequence[str]) -> Edit:
    """Return the edit that inserts entries at the end of a region.

    Raises:
        VerificationError: at no insertion point would they be entries of that section.
    """
    tries = (
        edit for line in _insertion_lines(document, where) for edit in _insertions_below(document, line, where, texts)
    )
    for edit in islice(tries, _TRIES):
        if proves_insertion(document, edit, texts, where.heading.start if where.heading else None):
            return edit
    raise VerificationError(
        "there is no position at which the text would be an entry of its section",
        hint="close the code fence, comment or HTML block above it",
    )


def proves_insertion(document: Document, edit: Edit, texts: Sequence[str], heading: int | None) -> bool:
    """Return True if an insertion adds exactly these entries, outermost, below the heading at an offset."""
    after = edited_document(document, (edit,))
    if next(violations(document, (edit,), after), None):
        return False
    new = Span(edit.span.start, edit.span.start + len(edit.new))
    found = [one for one in after.entries if new.holds(one.marker)]
    starts = [section.heading.start for section in after.sections]
    owners = {starts[at - 1] if (at := bisect_right(starts, one.marker.start)) else None for one in found}
    ours = heading is None or not owners - {heading}
    return ours and [(one.text, one.depth) for one in found] == [(text, 0) for text in texts]


def edited_document(document: Document, edits: Sequence[Edit]) -> Document:
    """Return the document after the edits."""
    return parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))


def insertion(document: Document, line: int, rows: Sequence[str], *, above: bool, under: bool) -> Edit:
    """Return the edit that inserts rows below a line (-1: at the top), with or without blank lines around them."""
    lines, ending = document.lines, document.lines.ending
    follows = line + 1 < len(lines) and not lines.is_blank(line + 1)
    body = ending.join(rows) + ending * (under and follows)
    if line < 0:
        return Edit.insert(document.start, body + ending * (document.start < len(document.text)))
    return Edit.insert(lines.end(line), ending * (above and not lines.is_blank(line)) + ending + body)


def entry_lines(
    document: Document, where: InsertionRegion, texts: Sequence[str], behind: Entry | None, *, onward: int = 1
) -> list[str]:
    """Return entries as lines in the list style of the one they follow, else of the file's first bullet.

    Numbers continue from that entry, `onward` steps further.
    """
    if behind is None:
        bullets = (one.marker.of(document.text) for one in document.entries if not one.ordered)
        marker = next(bullets, "-")
        return [f"{marker} {text}" for text in texts]
    text, start = document.text, document.lines.start(behind.line)
    lead, marker = text[start : behind.marker.start], behind.marker.of(text)
    pad = text[behind.marker.end : behind.text_span.start]
    lead = lead if not lead.strip(" ") else ""
    pad = pad if pad and len(pad) <= 4 and not pad.strip(" \t") else " "
    markers = (
        _numbers(document, where, marker, range(onward, onward + len(texts)))
        if behind.ordered
        else [marker] * len(texts)
    )
    return [f"{lead}{marker}{pad}{text}" for marker, text in zip(markers, texts, strict=True)]


def _numbers(document: Document, where: InsertionRegion, last: str, places: range) -> list[str]:
    """Return the next numbers of an ordered list; if all items have the same number, so do the new ones."""
    markers = [one.marker.of(document.text) for one in where.entries[-2:]]
    step = 0 if markers == [last, last] else 1
    first = int(last[:-1])
    return [f"{min(first + step * place, 999_999_999)}{last[-1]}" for place in places]


def _insertion_lines(document: Document, where: InsertionRegion) -> Iterator[int]:
    """Yield the lines below which the entries may go, best first."""
    autos = [auto.span for auto in document.auto_blocks]
    if where.entries:
        yield where.entries[-1].last_line
    ends = []
    for block in document.blocks:
        if where.span.start <= block.span.start < where.span.end and not block.depth:
            if block.kind == "rule" and not block.quoted:
                break
            if not any(auto.start < block.span.end < auto.end for auto in autos):
                ends.append(block.last_line)
    yield from dict.fromkeys(reversed(ends))
    yield document.lines.at(where.heading.end) if where.heading else document.lines.at(document.start) - 1


def _insertions_below(document: Document, line: int, where: InsertionRegion, texts: Sequence[str]) -> Iterator[Edit]:
    """Yield the insertions below one line: spaced as the neighbours, then with blank lines around."""
    behind = where.entries[-1] if where.entries and where.entries[-1].last_line == line else None
    loose = is_loose(document, where)
    new = spacing(entry_lines(document, where, texts, behind), loose=loose)
    wide = loose or behind is None
    ways = ((wide, wide), (True, wide), (wide, True), (True, True))
    edits = [insertion(document, line, new, above=above, under=under) for above, under in ways]
    yield from dict.fromkeys(edits)


def is_loose(document: Document, where: InsertionRegion) -> bool:
    """Return whether the entries are separated by blank lines."""
    return any(document.lines.is_blank(after.line - 1) for _, after in pairwise(where.entries))


def spacing(new: Sequence[str], *, loose: bool) -> list[str]:
    """Return rows, separated by blank lines if the list is loose."""
    return [row for one in new for row in (one, "")][:-1] if loose else list(new)


def make_section(document: Document, template: Template, spec: SectionSpec, texts: Sequence[str]) -> Edit:
    """Return the edit that inserts a section with entries; its heading and comment are the template's.

    Raises:
        VerificationError: at no insertion point would it be a section.
    """
    head = _head(document, template, spec)
    new = [*head, "", *entry_lines(document, insertion_region(document, None), texts, None)]
    for line in _section_lines(document, template, spec):
        edit = insertion(document, line, new, above=True, under=True)
        heading = edit.span.start + edit.new.index(head[0])
        if proves_insertion(document, edit, texts, heading):
            return edit
    raise VerificationError(
        f"there is no position at which `{spec.name}` would be a section",
        hint="close the code fence, comment or HTML block above it",
    )


def _head(document: Document, template: Template, spec: SectionSpec) -> list[str]:
    if any(section.style == "bracket" for section in document.sections):
        return [f"[{spec.name}]"]
    level = next((one.level for one in document.sections if _spec(template, one, spec.level)), spec.level)
    return [f"{'#' * level} {spec.name}", *(["", *_comment(template, spec)] if spec.doc else [])]


def _spec(template: Template, section: Section, level: int) -> SectionSpec | None:
    spec = template.spec(template.named(section) or "")
    return spec if spec and spec.level == level else None


def _comment(template: Template, spec: SectionSpec) -> list[str]:
    """Return the lines of the comment that documents a section in its template."""
    text = template.document
    body = next((one.body for one in text.sections if one.title == spec.name), None)
    comment = next((one for one in text.comments if body and body.holds(one.span)), None)
    return comment.span.of(text.text).splitlines() if comment else []


def _section_lines(document: Document, template: Template, spec: SectionSpec) -> Iterator[int]:
    """Yield the lines below which a section may go: in the template's order, then at the end of the file."""
    names = [one.name for one in template.sections]
    at = names.index(spec.name) if spec.name in names else len(names)
    present: dict[str, int] = {}
    for index, section in enumerate(document.sections):
        present.setdefault(template.named(section) or "", index)
    before = next((present[name] for name in reversed(names[:at]) if name in present), None)
    behind = next((present[name] for name in names[at + 1 :] if name in present), None)
    if before is not None:
        level = document.sections[before].level
        rest = range(before + 1, len(document.sections))
        behind = next((index for index in rest if document.sections[index].level <= level), None)
    if behind is not None:
        yield _last_line(document, document.lines.at(document.sections[behind].heading.start) - 1)
    yield _last_line(document, _closing(document))
    yield _last_line(document, len(document.lines) - 1)


def _closing(document: Document) -> int:
    """Return the line above the closing part of a file: a rule with no entry and no heading after it."""
    ends = [section.body.start for section in document.sections[-1:]] + [one.span.end for one in document.entries[-1:]]
    behind = max(ends, default=document.start)
    rules = (one for one in document.blocks if one.kind == "rule" and not one.depth and one.span.start >= behind)
    return next((rule.line for rule in rules), len(document.lines)) - 1


def _last_line(document: Document, line: int) -> int:
    """Return the nearest line at or above this one that is not blank; -1 if there is none."""
    text, lines = document.text, document.lines
    while line >= 0 and not text[max(document.start, lines.start(line)) : lines.end(line)].strip(" \t"):
        line -= 1
    return line


def rename_section(document: Document, section: Section, title: str) -> EditPlan:
    """Rename a section.

    Raises:
        UsageError: the title is empty, taken by another section, or would be parsed as something else.
    """
    require_unicode(title)
    new = one_line(title).lstrip("#").strip() if section.style != "bracket" else one_line(title).strip("[] \t")
    if new == section.title:
        return EditPlan((), (EditNote("unchanged"),))
    if fold(new) in {fold(one.title) for one in document.sections if one is not section}:
        raise UsageError(f"there is a section `{new}` already", hint="take another title, or move the entries there")
    lead = " " * (section.title_span.start == section.title_span.end)
    edit = Edit(section.title_span, lead + new)
    after = edited_document(document, (edit,))
    index = document.sections.index(section)
    titles = [one.title for one in document.sections]
    titles[index] = new
    if not new or titles != [one.title for one in after.sections] or next(violations(document, (edit,), after), None):
        raise UsageError("not a valid section title", hint="a title is one line of plain words")
    return EditPlan((edit,))
