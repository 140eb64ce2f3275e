"""Single entries of a line that the keeper joined: found, and cut out of it."""

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
    """One of the entries that a line was joined of."""

    entry: Entry  # the line
    number: int  # from 0
    text: str
    spans: tuple[Span, ...]  # of all units of the line, without the joints between them

    @property
    def span(self) -> Span:
        """Where its text stands in the document."""
        return self.spans[self.number]


def units(entry: Entry, originals: Originals) -> tuple[Unit, ...]:
    """Return the entries that a line was joined of; a single one, or none, where it was not."""
    line, at, spans = entry.text, 0, []
    texts = originals.units(line)
    for text in texts:
        at = line.find(text, at)
        if at < 0:
            return ()
        spans.append(Span(entry.text_span.start + at, entry.text_span.start + at + len(text)))
        at += len(text)
    return tuple(Unit(entry, number, text, tuple(spans)) for number, text in enumerate(texts))


def meant(document: Document, name: str, originals: Callable[[], Originals]) -> Entry | Unit:
    """Return what a name means that is to leave: an entry, or of a joined line the one entry that holds the text.

    Args:
        document: the file.
        name: an `^id` or a key, which mean the whole line, or a piece of text.
        originals: reads the archive; it is called only for a line that is named by a piece of its text.

    Raises:
        TargetError: no entry is meant, or more than one; or the name is too short to take anything away.
    """
    entry, wanted = find_entry(document, name), name.strip()
    if is_name(entry, wanted):
        return entry
    known = units(entry, originals())
    said = comparison_key(wanted)
    found = [one for one in known if comparison_key(one.text) == said] or [
        one for one in known if said in comparison_key(one.text)
    ]
    if len(known) < 2 or len(found) == len(known):
        return entry
    if len(found) != 1:
        candidates = tuple(one.text for one in found or known)
        hint = "name one of them by a piece of text that only it has"
        raise TargetError(f"{len(candidates)} entries match", hint=hint, candidates=candidates, count=len(candidates))
    return found[0]


def cuts(gone: Sequence[Unit]) -> Iterator[Edit]:
    """Return the edits that take units out of their line, each with one of the joints beside it."""
    spans, end = gone[0].spans, gone[0].entry.text_span.end
    numbers = sorted({one.number for one in gone})
    first = numbers[0]
    for number in numbers:
        if number + 1 in numbers:
            continue
        if number + 1 < len(spans):
            yield Edit.delete(Span(spans[first].start, spans[number + 1].start))
        else:
            yield Edit.delete(Span(spans[first - 1].end if first else spans[0].start, end))
        first = next((one for one in numbers if one > number), number)
