"""From a section's new lines to edits: what stays is not touched, what is new takes the place of what goes."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Document, Entry
from mdmem.core.edit import Edit
from mdmem.core.intent.change import proved, removal
from mdmem.core.intent.content import content
from mdmem.core.intent.place import append, region
from mdmem.core.template import EntryRule
from mdmem.core.text import Span
from mdmem.errors import VerificationError
from mdmem.keeper.area import Area, line_of


class Change:
    """One section on its way from its entries to new lines."""

    def __init__(self, area: Area, lines: Sequence[str]) -> None:
        self.area = area
        self.lines = [content(line, {}, EntryRule()).text for line in lines]
        self.stays: list[Entry] = []
        self.new: list[str] = []
        free = list(area.entries)
        for line in self.lines:
            same = next((entry for entry in free if line_of(entry) == line), None)
            if same:
                self.stays.append(same)
                free.remove(same)
            else:
                self.new.append(line)
        self.leaves: list[Entry] = free

    def edits(self, document: Document) -> tuple[Edit, ...]:
        """Make the edits; raises VerificationError where the lines would not stand as entries."""
        first = [
            entry for entry in self.leaves if self.area.is_simple(entry) and entry in self.area.sections[0].entries
        ]
        hosts = [entry for entry in first or self.leaves if self.area.is_simple(entry)][: len(self.new)]
        swaps = [_swap(host, line) for host, line in zip(hosts, self.new, strict=False)]
        gone = [entry for entry in self.leaves if entry not in hosts]
        rest = self.new[len(hosts) :]
        if rest and gone:
            return self._in_two_steps(document, rest, swaps)
        if rest:
            swaps.append(append(document, region(document, self.area.sections[0]), rest))
        return proved(document, [(*swaps, *removal(document, gone, wide=wide)) for wide in (False, True)])

    def _in_two_steps(self, document: Document, rest: Sequence[str], swaps: Sequence[Edit]) -> tuple[Edit, ...]:
        """Take the place of an entry with all that stands below it, where no simpler one goes."""
        outer = [entry for entry in self.leaves if not any(edit.span.overlaps(entry.span) for edit in swaps)]
        if len(outer) < len(rest):
            raise VerificationError("there is no place for the new entries", hint="tidy the section by hand first")
        taken = outer[: len(rest)]
        whole = [Edit(Span(one.text_span.start, one.span.end), line) for one, line in zip(taken, rest, strict=True)]
        gone = [entry for entry in outer if entry not in taken]
        return proved(document, [(*swaps, *whole, *removal(document, gone, wide=wide)) for wide in (False, True)])


def _swap(host: Entry, line: str) -> Edit:
    start, end = host.text_span
    return Edit(Span(start, end), line if start > host.marker.end else f" {line}")
