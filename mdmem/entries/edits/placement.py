"""Where new entries go, and in which hand they are written: the file's own.

Entries go below the last one of their section, above whatever closes it (a rule, a line in italics, a comment). Where
they would be swallowed there (an open fence, an HTML block, a lazy paragraph), blank lines are tried, then the places
above; what stands as entries of the section is proved, and what cannot stand is refused.
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

_TRIES = 24  # proofs for one change; the first holds for almost every file


class InsertionRegion(NamedTuple):
    """Where the entries of a section stand, or all entries of a file."""

    span: Span
    entries: tuple[Entry, ...]  # the outermost ones that no generator wrote
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
    """Make the insertion that puts entries at the end of a region.

    Raises:
        VerificationError: there is no place where they would stand as entries of that section.
    """
    tries = (edit for line in _lines(document, where) for edit in _below(document, line, where, texts))
    for edit in islice(tries, _TRIES):
        if proves_insertion(document, edit, texts, where.heading.start if where.heading else None):
            return edit
    raise VerificationError(
        "there is no place where the text would stand as an entry of its section",
        hint="something there takes it in: close the code fence, comment or HTML block above",
    )


def proves_insertion(document: Document, edit: Edit, texts: Sequence[str], heading: int | None) -> bool:
    """Prove that an insertion adds these entries, outermost, below the heading that begins at an offset."""
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
    """Return the document that edits make."""
    return parse(apply_edits(document.text, edits).encode("utf-8", "surrogateescape"))


def insertion(document: Document, line: int, rows: Sequence[str], *, above: bool, under: bool) -> Edit:
    """Make the edit that puts lines below a line (-1: at the top), with blank lines around them or not."""
    lines, ending = document.lines, document.lines.ending
    follows = line + 1 < len(lines) and not lines.is_blank(line + 1)
    body = ending.join(rows) + ending * (under and follows)
    if line < 0:
        return Edit.insert(document.start, body + ending * (document.start < len(document.text)))
    return Edit.insert(lines.end(line), ending * (above and not lines.is_blank(line)) + ending + body)


def entry_lines(
    document: Document, where: InsertionRegion, texts: Sequence[str], behind: Entry | None, *, onward: int = 1
) -> list[str]:
    """Write entries in the hand of the one they follow, else of the file's first bullet; numbers count onward."""
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
    """Count on from the last number; where all items bear one number, so do the new ones."""
    markers = [one.marker.of(document.text) for one in where.entries[-2:]]
    step = 0 if markers == [last, last] else 1
    first = int(last[:-1])
    return [f"{min(first + step * place, 999_999_999)}{last[-1]}" for place in places]


def _lines(document: Document, where: InsertionRegion) -> Iterator[int]:
    """Return the lines below which the entries may go, the best first."""
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


def _below(document: Document, line: int, where: InsertionRegion, texts: Sequence[str]) -> Iterator[Edit]:
    """Return the insertions below one line: as the neighbours stand, then with blank lines around it."""
    behind = where.entries[-1] if where.entries and where.entries[-1].last_line == line else None
    loose = is_loose(document, where)
    new = spacing(entry_lines(document, where, texts, behind), loose=loose)
    wide = loose or behind is None
    ways = ((wide, wide), (True, wide), (wide, True), (True, True))
    edits = [insertion(document, line, new, above=above, under=under) for above, under in ways]
    yield from dict.fromkeys(edits)


def is_loose(document: Document, where: InsertionRegion) -> bool:
    """Return whether blank lines stand between the entries."""
    return any(document.lines.is_blank(after.line - 1) for _, after in pairwise(where.entries))


def spacing(new: Sequence[str], *, loose: bool) -> list[str]:
    """Put blank lines between rows, where the others have them."""
    return [row for one in new for row in (one, "")][:-1] if loose else list(new)


def make_section(document: Document, template: Template, spec: SectionSpec, texts: Sequence[str]) -> Edit:
    """Make the insertion that adds a section with entries, its heading and comment as the template writes them.

    Raises:
        VerificationError: there is no place where it would stand as a section.
    """
    head = _head(document, template, spec)
    new = [*head, "", *entry_lines(document, insertion_region(document, None), texts, None)]
    for line in _places(document, template, spec):
        edit = insertion(document, line, new, above=True, under=True)
        heading = edit.span.start + edit.new.index(head[0])
        if proves_insertion(document, edit, texts, heading):
            return edit
    raise VerificationError(
        f"there is no place where the section `{spec.name}` would stand as one",
        hint="something takes it in: close the code fence, comment or HTML block above",
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


def _places(document: Document, template: Template, spec: SectionSpec) -> Iterator[int]:
    """Return the lines below which a section may go: behind the one before it in the template's order, else above."""
    names = [one.name for one in template.sections]
    at = names.index(spec.name) if spec.name in names else len(names)
    there: dict[str, int] = {}
    for index, section in enumerate(document.sections):
        there.setdefault(template.named(section) or "", index)
    before = next((there[name] for name in reversed(names[:at]) if name in there), None)
    behind = next((there[name] for name in names[at + 1 :] if name in there), None)
    if before is not None:
        level = document.sections[before].level
        rest = range(before + 1, len(document.sections))
        behind = next((index for index in rest if document.sections[index].level <= level), None)
    if behind is not None:
        yield _last_line(document, document.lines.at(document.sections[behind].heading.start) - 1)
    yield _last_line(document, _closing(document))
    yield _last_line(document, len(document.lines) - 1)


def _closing(document: Document) -> int:
    """Return the line above what closes a file: a rule with no entry and no heading behind it."""
    ends = [section.body.start for section in document.sections[-1:]] + [one.span.end for one in document.entries[-1:]]
    behind = max(ends, default=document.start)
    rules = (one for one in document.blocks if one.kind == "rule" and not one.depth and one.span.start >= behind)
    return next((rule.line for rule in rules), len(document.lines)) - 1


def _last_line(document: Document, line: int) -> int:
    """Go up to a line that is not blank; -1 where the text begins with one."""
    text, lines = document.text, document.lines
    while line >= 0 and not text[max(document.start, lines.start(line)) : lines.end(line)].strip(" \t"):
        line -= 1
    return line


def rename_section(document: Document, section: Section, title: str) -> EditPlan:
    """Return a section another heading.

    Raises:
        UsageError: the title is empty, is that of another section, or would not be read back as it is.
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
        raise UsageError("this cannot be the title of a section", hint="a title is one line of plain words")
    return EditPlan((edit,))
