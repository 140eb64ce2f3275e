"""Overwriting a section: its entries for new ones, and nothing else of it (F034)."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.document import Document, Section
from mdmem.core.edit import Edit
from mdmem.core.intent.add import add, admit, room
from mdmem.core.intent.change import proved, removal
from mdmem.core.intent.content import contents
from mdmem.core.intent.find import find_section
from mdmem.core.intent.note import Intent, Note
from mdmem.core.intent.place import Region, append, is_loose, region, rows, spread
from mdmem.core.meters import owner_of
from mdmem.core.pattern import pattern
from mdmem.core.template import EntryRule, SectionSpec, Template
from mdmem.core.text import LINE_END, Span
from mdmem.errors import UsageError

_ITEM = pattern(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])(?:[ \t\u3000]|\Z)")


def replace_section(document: Document, template: Template | None, section: str, text: str) -> Intent:
    """Put new entries in the place of a section's old ones; its heading, comment and closing lines stay.

    The text is a list, or lines without bullets. What the section has no room for is given back (note `full`), and
    what leaves it is named (note `removed`).

    Raises:
        TargetError: there is no such section.
        UsageError: the text holds no entry: nothing is emptied by an empty answer (F037).
        RefusedError, VerificationError: as for `add`.
    """
    target = find_section(document, template, section)
    texts = list(_items(text, _kept(document, target) if isinstance(target, Section) else {target.name}))
    if not texts:
        raise UsageError(
            "the new content holds no entry", hint="give one line for each entry; to empty it, remove them"
        )
    if isinstance(target, SectionSpec):
        return add(document, template, texts, section=section)
    where = region(document, target)
    owner = owner_of(document, template, target) if template else None
    rule = owner.entries if owner else template.entries if template else EntryRule()
    made = contents(texts, {}, rule)
    free = room(document, template, owner, where.entries, freed=len(where.entries))
    new, refused = admit([one.text for one in made], (), rule, free)
    # in a list, bullets are as meant
    notes = (*(note for one in made for note in one.notes if note.kind != "unmarked"), *refused)
    if not where.entries:
        return Intent((append(document, where, new),) if new else (), notes)
    inside = {line for one in where.entries for line in range(one.line, one.last_line + 1)}
    before = [one.text for one in target.entries if one.line in inside]
    if before == new or not new:
        return Intent((), (*notes, Note("unchanged")))
    removed = tuple(one for one in before if one not in new)
    edits = proved(document, [tuple(_swap(document, where, new))])
    return Intent(edits, (*notes, Note("removed", {"texts": removed})) if removed else notes)


def _swap(document: Document, where: Region, texts: list[str]) -> Iterator[Edit]:
    """Write the new entries where the last old one stands, and drop the others."""
    *others, last = where.entries
    new = rows(document, where, texts, where.entries[0], onward=0)
    start = max(document.start, document.lines.start(last.line))
    yield from removal(document, others, wide=False)
    yield Edit(Span(start, last.span.end), document.lines.ending.join(spread(new, loose=is_loose(document, where))))


def _kept(document: Document, section: Section) -> set[str]:
    """Give the lines of a section that are no entries: a caller who sends them again does not mean new ones."""
    lines = document.lines
    inside = {line for entry in section.entries for line in range(entry.line, entry.last_line + 1)}
    first, last = lines.at(section.heading.start), lines.at(max(section.body.start, section.body.end - 1))
    return {lines.text(line).strip() for line in range(first, last + 1) if line not in inside}


def _items(text: str, kept: set[str]) -> Iterator[str]:
    """Take a list apart into its items; a text without bullets into its lines."""
    lines = [line for line in LINE_END.split(text) if line.strip() and line.strip() not in kept]
    bullets = any(map(_ITEM.match, lines))
    item: list[str] = []
    for line in lines:
        if item and (not bullets or _ITEM.match(line)):
            yield "\n".join(item)
            item = []
        item.append(line)
    if item:
        yield "\n".join(item)
