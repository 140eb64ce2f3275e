"""Changes existing entries: replace, remove, tick, or replace a whole section; nested entries go with their parent."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from mdmem.entries.edits.add import add, admit, room
from mdmem.entries.edits.content import EditNote, EditPlan, content, contents
from mdmem.entries.edits.find import find_section
from mdmem.entries.edits.placement import (
    InsertionRegion,
    append,
    edited_document,
    entry_lines,
    insertion_region,
    is_loose,
    spacing,
)
from mdmem.errors import UsageError, VerificationError
from mdmem.formats.limits import owner_of
from mdmem.formats.template import EntryRule, SectionSpec, Template
from mdmem.text.document import Document, Entry, Section
from mdmem.text.edit import Edit
from mdmem.text.entry import read_entry
from mdmem.text.pattern import pattern
from mdmem.text.spans import LINE_END, Span
from mdmem.text.verify import violations

_NAMED = 10  # lines of an entry that a message names
_SHOWN = 120  # characters of each


def replace(
    document: Document, entry: Entry, text: str, *, fields: Mapping[str, str] = {}, rule: EntryRule | None = None
) -> EditPlan:
    """Replace the text of an entry; its `^id` stays, because something may refer to it.

    Raises:
        UsageError, RefusedError: the text cannot be written.
        VerificationError: other lines would change their meaning.
    """
    made = content(text, fields, rule or EntryRule())
    new, ident = made.text, entry.parts.id
    if ident and not read_entry(new).id:
        new = f"{new} ^{ident}"
    if new == entry.text:
        return EditPlan((), (*made.notes, EditNote("unchanged")))
    edits = proved(document, [(_rewrite(document, entry, new),)])
    texts = [new if one == entry else one.text for one in document.entries]
    if texts != [one.text for one in edited_document(document, edits).entries]:
        raise VerificationError("the text would not be a single entry", hint="remove the entry and add it anew")
    gone = tuple(line.strip() for line in entry.text.split("\n") if line.strip() and line.strip() not in new)
    is_shown = "\n" in entry.text and gone  # of a single line, the new text says enough
    return EditPlan(
        edits, (*made.notes, EditNote("lines-gone", {"texts": gone, "lines": _shown(gone)})) if is_shown else made.notes
    )


def _shown(lines: Sequence[str]) -> str:
    """Return the beginnings of the first lines, for a message."""
    shown = [line if len(line) <= _SHOWN else f"{line[: _SHOWN - 1]}…" for line in lines[:_NAMED]]
    return " / ".join((*shown, "…") if len(lines) > _NAMED else shown)


def tick(document: Document, entry: Entry, *, done: bool = True) -> EditPlan:
    """Mark an entry as done or open: by its checkbox, or by a leading ✅ if it has none (P041).

    Raises:
        UsageError: the entry has no text.
    """
    text, parts = entry.text, entry.parts
    box, start = parts.checkbox, entry.text_span.start
    if not text:
        raise UsageError("the entry has no text", hint="write the task first")
    if bool(parts.done) is done:
        return EditPlan((), (EditNote("unchanged"),))
    edits: list[Edit] = []
    if box and text[box.start + 1] != (mark := "x" if done else " "):
        edits += [Edit.replace(start + box.start + 1, start + box.end - 1, mark)]
    elif done and not box:
        edits += [Edit.insert(start, "✅ ")]
    if parts.tick and not done:
        edits += [Edit.delete(Span(start + parts.tick.start, start + parts.tick.end))]
    return EditPlan(proved(document, [tuple(edits)]))


def remove(document: Document, entries: Sequence[Entry]) -> EditPlan:
    """Remove entries with all nested ones, leaving no double blank lines and no heading attached to text.

    Raises:
        VerificationError: the surrounding lines would change their meaning.
    """
    if not entries:
        return EditPlan((), (EditNote("unchanged"),))
    taken = set(entries)
    inside = {line for entry in taken for line in range(entry.line, entry.last_line + 1)}
    nested = [one for one in document.entries if one.line in inside and one not in taken and _within(one, taken)]
    removed = sorted([*taken, *nested], key=lambda one: one.span)
    notes = [EditNote("removed", {"texts": tuple(one.text for one in removed)})]
    notes += [EditNote("nested", {"texts": tuple(one.text for one in nested)})] if nested else []
    ways = (tuple(removal(document, taken, wide=wide)) for wide in (False, True))
    return EditPlan(proved(document, ways), tuple(notes))


def proved(document: Document, ways: Iterable[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """Return the first of several alternative edits that passes verification.

    Raises:
        VerificationError: none does; the message is about the first.
    """
    reasons = []
    for edits in ways:
        reason = next(violations(document, edits, edited_document(document, edits)), None)
        if reason is None:
            return edits
        reasons.append(reason)
    hint = "edit the lines around it in the same change"
    raise VerificationError(f"the change would touch more than it names: {reasons[0]}", hint=hint)


def _rewrite(document: Document, entry: Entry, text: str) -> Edit:
    start, end = entry.text_span
    if start > entry.marker.end:
        return Edit(entry.text_span, text)
    rest = document.text[end : document.lines.end(entry.line)]
    return Edit(Span(start, end + len(rest) * (not rest.strip())), f" {text}")  # an item without text


def _within(entry: Entry, others: Collection[Entry]) -> bool:
    return any(other.span.holds(entry.span) for other in others)


def removal(document: Document, entries: Collection[Entry], *, wide: bool) -> Iterator[Edit]:
    """Yield the edits that delete entries; `wide` leaves a blank line between lines that would become adjacent."""
    lines, text = document.lines, document.text
    deleted: set[int] = set()
    for entry in entries:
        before = text[max(document.start, lines.start(entry.line)) : entry.marker.start]
        if not before.strip():
            deleted.update(range(entry.line, entry.last_line + 1))
        elif not _within(entry, [one for one in entries if one is not entry]):  # an item inside an item, as in `- - a`
            yield Edit.delete(Span(entry.marker.start - len(before) + len(before.rstrip()), entry.span.end))
    _trim_blank_lines(document, deleted)
    headings = {lines.at(section.heading.start) for section in document.sections}
    ending = lines.ending
    for first, last in _runs(deleted):
        span = lines.full(first, last)
        if last == len(lines) - 1 and first and not text.endswith(("\n", "\r")):
            yield Edit.delete(Span(lines.end(first - 1), span.end))  # keeps the file's ending
            continue
        touch = first and last + 1 < len(lines) and not lines.is_blank(first - 1) and not lines.is_blank(last + 1)
        blank = touch and (wide or last + 1 in headings)
        yield Edit(Span(max(document.start, span.start), span.end), ending if blank else "")


def _trim_blank_lines(document: Document, deleted: set[int]) -> None:
    """Delete one of two runs of blank lines that would meet, and those that would end the file."""
    lines, count = document.lines, len(document.lines)
    for first, last in list(_runs(deleted)):
        above, below = first - 1, last + 1
        while above in deleted:
            above -= 1
        if above < 0 or lines.is_blank(above):
            while below < count and below not in deleted and lines.is_blank(below):
                deleted.add(below)
                below += 1
        while below == count and above >= 0 and lines.is_blank(above):
            deleted.add(above)
            above -= 1


def _runs(deleted: Collection[int]) -> Iterator[tuple[int, int]]:
    ordered = sorted(deleted)
    starts = [line for line in ordered if line - 1 not in deleted]
    yield from zip(starts, [line for line in ordered if line + 1 not in deleted], strict=True)


_ITEM = pattern(r"[ \t]*(?:[-*+•]|\d{1,2}[.)])(?:[ \t\u3000]|\Z)")


def replace_section(document: Document, template: Template | None, section: str, text: str) -> EditPlan:
    """Replace a section's entries; its heading, comment and closing lines stay.

    The text is a list, or lines without bullets. Entries beyond the cap are returned (note `full`), and removed entries
    are listed (note `removed`).

    Raises:
        TargetError: there is no such section.
        UsageError: the text holds no entry; an empty answer must not empty a section (F037).
        RefusedError, VerificationError: as for `add`.
    """
    target = find_section(document, template, section)
    texts = list(_items(text, _other_lines(document, target) if isinstance(target, Section) else {target.name}))
    if not texts:
        raise UsageError("the new content has no entry", hint="give one line for each entry; to empty it, remove them")
    if isinstance(target, SectionSpec):
        return add(document, template, texts, section=section)
    where = insertion_region(document, target)
    owner = owner_of(document, template, target) if template else None
    rule = owner.entries if owner else template.entries if template else EntryRule()
    made = contents(texts, {}, rule)
    free = room(document, template, owner, where.entries, freed=len(where.entries))
    new, refused = admit([one.text for one in made], (), rule, free)
    # the bullets of a list are intended and not reported
    notes = (*(note for one in made for note in one.notes if note.kind != "unmarked"), *refused)
    if not where.entries:
        return EditPlan((append(document, where, new),) if new else (), notes)
    inside = {line for one in where.entries for line in range(one.line, one.last_line + 1)}
    before = [one.text for one in target.entries if one.line in inside]
    if before == new or not new:
        return EditPlan((), (*notes, EditNote("unchanged")))
    removed = tuple(one for one in before if one not in new)
    edits = proved(document, [tuple(_swap(document, where, new))])
    return EditPlan(edits, (*notes, EditNote("removed", {"texts": removed})) if removed else notes)


def _swap(document: Document, where: InsertionRegion, texts: list[str]) -> Iterator[Edit]:
    """Yield the edits that write the new entries over the last old one and delete the others."""
    *others, last = where.entries
    new = entry_lines(document, where, texts, where.entries[0], onward=0)
    start = max(document.start, document.lines.start(last.line))
    yield from removal(document, others, wide=False)
    yield Edit(Span(start, last.span.end), document.lines.ending.join(spacing(new, loose=is_loose(document, where))))


def _other_lines(document: Document, section: Section) -> set[str]:
    """Return the lines of a section outside its entries; a caller who sends them back does not mean new entries."""
    lines = document.lines
    inside = {line for entry in section.entries for line in range(entry.line, entry.last_line + 1)}
    first, last = lines.at(section.heading.start), lines.at(max(section.body.start, section.body.end - 1))
    return {lines.text(line).strip() for line in range(first, last + 1) if line not in inside}


def _items(text: str, other_lines: set[str]) -> Iterator[str]:
    """Split a list into its items, a text without bullets into its lines."""
    lines = [line for line in LINE_END.split(text) if line.strip() and line.strip() not in other_lines]
    bullets = any(map(_ITEM.match, lines))
    item: list[str] = []
    for line in lines:
        if item and (not bullets or _ITEM.match(line)):
            yield "\n".join(item)
            item = []
        item.append(line)
    if item:
        yield "\n".join(item)
