"""Changing entries that are there: replace, remove, tick; nested ones go with the one they stand below."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from mdmem.core.document import Document, Entry
from mdmem.core.edit import Edit
from mdmem.core.entry import read_entry
from mdmem.core.intent.content import content
from mdmem.core.intent.note import Intent, Note
from mdmem.core.intent.place import changed
from mdmem.core.template import EntryRule
from mdmem.core.text import Span
from mdmem.core.verify import wrong
from mdmem.errors import UsageError, VerificationError


def replace(
    document: Document, entry: Entry, text: str, *, fields: Mapping[str, str] = {}, rule: EntryRule | None = None
) -> Intent:
    """Give an entry another text, in its place; its `^id` stays, for something may refer to it.

    Raises:
        UsageError, RefusedError: the text cannot be written.
        VerificationError: other lines would become something else.
    """
    made = content(text, fields, rule or EntryRule())
    new, ident = made.text, entry.parts.id
    if ident and not read_entry(new).id:
        new = f"{new} ^{ident}"
    if new == entry.text:
        return Intent((), (*made.notes, Note("unchanged")))
    edits = proved(document, [(_rewrite(document, entry, new),)])
    texts = [new if one == entry else one.text for one in document.entries]
    if texts != [one.text for one in changed(document, edits).entries]:
        raise VerificationError("the text would not stand as this entry alone", hint="remove the entry and add it anew")
    return Intent(edits, made.notes)


def tick(document: Document, entry: Entry, *, done: bool = True) -> Intent:
    """Mark an entry as done, or take that back: its checkbox, or a ✅ in front where it has none (P041).

    Raises:
        UsageError: the entry says nothing.
    """
    text, parts = entry.text, entry.parts
    box, start = parts.checkbox, entry.text_span.start
    if not text:
        raise UsageError("the entry has no text", hint="write first what is to be done")
    if bool(parts.done) is done:
        return Intent((), (Note("unchanged"),))
    edits: list[Edit] = []
    if box and text[box.start + 1] != (mark := "x" if done else " "):
        edits += [Edit.replace(start + box.start + 1, start + box.end - 1, mark)]
    elif done and not box:
        edits += [Edit.insert(start, "✅ ")]
    if parts.tick and not done:
        edits += [Edit.delete(Span(start + parts.tick.start, start + parts.tick.end))]
    return Intent(proved(document, [tuple(edits)]))


def remove(document: Document, entries: Sequence[Entry]) -> Intent:
    """Take entries out, with all that is nested in them; no double blank lines, no heading glued to text, stay behind.

    Raises:
        VerificationError: what stands around would become something else.
    """
    if not entries:
        return Intent((), (Note("unchanged"),))
    taken = set(entries)
    inside = {line for entry in taken for line in range(entry.line, entry.last_line + 1)}
    nested = [one for one in document.entries if one.line in inside and one not in taken and _within(one, taken)]
    gone = sorted([*taken, *nested], key=lambda one: one.span)
    notes = [Note("removed", {"texts": tuple(one.text for one in gone)})]
    notes += [Note("nested", {"texts": tuple(one.text for one in nested)})] if nested else []
    ways = (tuple(removal(document, taken, wide=wide)) for wide in (False, True))
    return Intent(proved(document, ways), tuple(notes))


def proved(document: Document, ways: Iterable[tuple[Edit, ...]]) -> tuple[Edit, ...]:
    """Give the first of several ways that can be proved.

    Raises:
        VerificationError: none can; says what the first would do.
    """
    reasons = []
    for edits in ways:
        reason = next(wrong(document, edits, changed(document, edits)), None)
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
    """Make the edits that drop entries; `wide` leaves a blank line where lines would come to touch."""
    lines, text = document.lines, document.text
    gone: set[int] = set()
    for entry in entries:
        before = text[max(document.start, lines.start(entry.line)) : entry.marker.start]
        if not before.strip():
            gone.update(range(entry.line, entry.last_line + 1))
        elif not _within(entry, [one for one in entries if one is not entry]):  # `- - a`
            yield Edit.delete(Span(entry.marker.start - len(before) + len(before.rstrip()), entry.span.end))
    _tidy(document, gone)
    headings = {lines.at(section.heading.start) for section in document.sections}
    ending = lines.ending
    for first, last in _runs(gone):
        span = lines.full(first, last)
        if last == len(lines) - 1 and first and not text.endswith(("\n", "\r")):
            yield Edit.delete(Span(lines.end(first - 1), span.end))  # the file keeps ending as it did
            continue
        touch = first and last + 1 < len(lines) and not lines.is_blank(first - 1) and not lines.is_blank(last + 1)
        blank = touch and (wide or last + 1 in headings)
        yield Edit(Span(max(document.start, span.start), span.end), ending if blank else "")


def _tidy(document: Document, gone: set[int]) -> None:
    """Drop one of two runs of blank lines that would meet, and those that would end the file."""
    lines, count = document.lines, len(document.lines)
    for first, last in list(_runs(gone)):
        above, below = first - 1, last + 1
        while above in gone:
            above -= 1
        if above < 0 or lines.is_blank(above):
            while below < count and below not in gone and lines.is_blank(below):
                gone.add(below)
                below += 1
        while below == count and above >= 0 and lines.is_blank(above):
            gone.add(above)
            above -= 1


def _runs(gone: Collection[int]) -> Iterator[tuple[int, int]]:
    ordered = sorted(gone)
    starts = [line for line in ordered if line - 1 not in gone]
    yield from zip(starts, [line for line in ordered if line + 1 not in gone], strict=True)
