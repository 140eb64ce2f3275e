"""Sections: one that is missing is made at its place in the template's order, one that is there can be renamed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mdmem.core.document import Document, Section
from mdmem.core.edit import Edit
from mdmem.core.intent.content import require_unicode
from mdmem.core.intent.note import Intent, Note
from mdmem.core.intent.place import changed, insertion, region, rows, stands
from mdmem.core.oneline import one_line
from mdmem.core.template import SectionSpec, Template, fold
from mdmem.core.verify import wrong
from mdmem.errors import UsageError, VerificationError


def make_section(document: Document, template: Template, spec: SectionSpec, texts: Sequence[str]) -> Edit:
    """Make the insertion that adds a section with entries, its heading and comment as the template writes them.

    Raises:
        VerificationError: there is no place where it would stand as a section.
    """
    head = _head(document, template, spec)
    new = [*head, "", *rows(document, region(document, None), texts, None)]
    for line in _places(document, template, spec):
        edit = insertion(document, line, new, above=True, under=True)
        heading = edit.span.start + edit.new.index(head[0])
        if stands(document, edit, texts, heading):
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
    """Give the lines of the comment that documents a section in its template."""
    text = template.document
    body = next((one.body for one in text.sections if one.title == spec.name), None)
    comment = next((one for one in text.comments if body and body.holds(one.span)), None)
    return comment.span.of(text.text).splitlines() if comment else []


def _places(document: Document, template: Template, spec: SectionSpec) -> Iterator[int]:
    """Give the lines below which a section may go: behind the one before it in the template's order, else above."""
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
    """Give the line above what closes a file: a rule with no entry and no heading behind it."""
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


def rename_section(document: Document, section: Section, title: str) -> Intent:
    """Give a section another heading.

    Raises:
        UsageError: the title is empty, is that of another section, or would not be read back as it is.
    """
    require_unicode(title)
    new = one_line(title).lstrip("#").strip() if section.style != "bracket" else one_line(title).strip("[] \t")
    if new == section.title:
        return Intent((), (Note("unchanged"),))
    if fold(new) in {fold(one.title) for one in document.sections if one is not section}:
        raise UsageError(f"there is a section `{new}` already", hint="take another title, or move the entries there")
    lead = " " * (section.title_span.start == section.title_span.end)
    edit = Edit(section.title_span, lead + new)
    after = changed(document, (edit,))
    index = document.sections.index(section)
    titles = [one.title for one in document.sections]
    titles[index] = new
    if not new or titles != [one.title for one in after.sections] or next(wrong(document, (edit,), after), None):
        raise UsageError("this cannot be the title of a section", hint="a title is one line of plain words")
    return Intent((edit,))
