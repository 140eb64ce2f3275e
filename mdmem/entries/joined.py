"""Finds the single entries of a line that the keeper joined, and cuts them out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mdmem.entries.edits.find import find_entry, is_name
from mdmem.errors import TargetError
from mdmem.formats.joined_line import Originals
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span


class Unit(NamedTuple):
    """One of the entries that were joined into a line."""

    entry: Entry  # the line
    number: int  # from 0
    text: str
    spans: tuple[Span, ...]  # of all units of the line, without the separators

    @property
    def span(self) -> Span:
        """Return the span of its text in the document."""
        return self.spans[self.number]


def units(entry: Entry, originals: Originals) -> tuple[Unit, ...]:
    """Return the entries that were joined into a line; one or none if it was not joined."""
    line, at, spans = entry.text, 0, []
    texts = originals.units(line)
    for text in texts:
        at = line.find(text, at)
        if at < 0:
            return ()
        spans.append(Span(entry.text_span.start + at, entry.text_span.start + at + len(text)))
        at += len(text)
    return tuple(Unit(entry, number, text, tuple(spans)) for number, text in enumerate(texts))


def find_part(document: Document, name: str, originals: Callable[[], Originals]) -> Entry | Unit:
    """Return the entry that a name refers to, or the unit of a joined line that contains the text.

    Args:
        document: the file.
        name: an `^id` or a key, which refer to the whole line, or a part of its text.
        originals: reads the archive; called only for a line that is named by a part of its text.

    Raises:
        TargetError: no entry matches, or more than one; or the name is vague.
    """
    entry, wanted = find_entry(document, name), name.strip()
    if is_name(entry, wanted):
        return entry
    line_units = units(entry, originals())
    key = comparison_key(wanted)
    found = [one for one in line_units if comparison_key(one.text) == key] or [
        one for one in line_units if key in comparison_key(one.text)
    ]
    if len(line_units) < 2 or len(found) == len(line_units):
        return entry
    if len(found) != 1:
        candidates = tuple(one.text for one in found or line_units)
        hint = "name one of them by a piece of text that only it has"
        raise TargetError(f"{len(candidates)} entries match", hint=hint, candidates=candidates, count=len(candidates))
    return found[0]


def cuts(removed: Sequence[Unit]) -> Iterator[Edit]:
    """Yield the edits that cut units out of their line, each with one separator."""
    spans, end = removed[0].spans, removed[0].entry.text_span.end
    numbers = sorted({one.number for one in removed})
    first = numbers[0]
    for number in numbers:
        if number + 1 in numbers:
            continue
        if number + 1 < len(spans):
            yield Edit.delete(Span(spans[first].start, spans[number + 1].start))
        else:
            yield Edit.delete(Span(spans[first - 1].end if first else spans[0].start, end))
        first = next((one for one in numbers if one > number), number)
