"""Turn the new lines of a section into edits, and a backend's operations into a `CompactionPlan`.

An entry that stays is not touched. A new line replaces an entry that leaves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import chain

from mdmem.entries.edits.content import content
from mdmem.entries.edits.placement import append, insertion_region
from mdmem.entries.edits.rewrite import proved, removal
from mdmem.errors import VerificationError
from mdmem.formats.template import EntryRule
from mdmem.generation.model import Operation, lines_of
from mdmem.keeper.condensing.proof import section_of
from mdmem.keeper.condensing.sections import KeeperSection, keeper_sections, line_of
from mdmem.keeper.condensing.tidy import older_values, why_gone
from mdmem.keeper.model import CompactionPlan, CompactionTask, ExtraEntries, RemovedEntry
from mdmem.text.document import Document, Entry
from mdmem.text.edit import Edit
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span


class SectionRewrite:
    """The entries of one section compared with its new lines: what stays, what is new, what leaves."""

    def __init__(self, section: KeeperSection, lines: Sequence[str]) -> None:
        self.section = section
        self.lines = [content(line, {}, EntryRule()).text for line in lines]
        self.stays: list[Entry] = []
        self.new: list[str] = []
        free = list(section.entries)
        for line in self.lines:
            same = next((entry for entry in free if line_of(entry) == line), None)
            if same:
                self.stays.append(same)
                free.remove(same)
            else:
                self.new.append(line)
        self.leaves: list[Entry] = free

    def ways(self, document: Document) -> list[tuple[Edit, ...]]:
        """Return alternative edits that give the section its new lines; see `removal`.

        Raises:
            VerificationError: there is no position for a line.
        """
        first = [
            entry
            for entry in self.leaves
            if self.section.is_simple(entry) and entry in self.section.sections[0].entries
        ]
        hosts = [entry for entry in first or self.leaves if self.section.is_simple(entry)][: len(self.new)]
        swaps = [_swap(host, line) for host, line in zip(hosts, self.new, strict=False)]
        gone = [entry for entry in self.leaves if entry not in hosts]
        rest = self.new[len(hosts) :]
        if rest and gone:
            return self._in_two_steps(document, rest, swaps)
        if rest:
            swaps.append(append(document, insertion_region(document, self.section.sections[0]), rest))
        return [(*swaps, *removal(document, gone, wide=wide)) for wide in (False, True)]

    def _in_two_steps(self, document: Document, rest: Sequence[str], swaps: Sequence[Edit]) -> list[tuple[Edit, ...]]:
        """Replace entries together with everything nested below them, for lack of simple entries that leave."""
        outer = [entry for entry in self.leaves if not any(edit.span.overlaps(entry.span) for edit in swaps)]
        if len(outer) < len(rest):
            raise VerificationError("there is no position for the new entries", hint="tidy the section by hand first")
        taken = outer[: len(rest)]
        whole = [Edit(Span(one.text_span.start, one.span.end), line) for one, line in zip(taken, rest, strict=True)]
        gone = [entry for entry in outer if entry not in taken]
        return [(*swaps, *whole, *removal(document, gone, wide=wide)) for wide in (False, True)]


def _swap(host: Entry, line: str) -> Edit:
    start, end = host.text_span
    return Edit(Span(start, end), line if start > host.marker.end else f" {line}")


def build_compaction_plan(task: CompactionTask, operations: Sequence[Operation]) -> CompactionPlan:
    """Return the edits that carry out operations, and the entries that leave the file.

    Raises:
        VerificationError: a new line would not be read as an entry of its section.
    """
    sections_by_name = {section.name: section for section in keeper_sections(task)}
    ways: list[Sequence[tuple[Edit, ...]]] = []  # of each section
    gone: list[RemovedEntry] = []
    archived_only: list[str] = []
    counts: dict[str, tuple[int, int]] = {}
    for operation in operations:
        section = sections_by_name.get(section_of(task, operation.section) or "")
        if section is None or (task.compacts and section.is_small_enough):
            continue
        change = SectionRewrite(section, lines_of(operation.content))
        if not change.new and not change.leaves:
            continue
        ways.append(change.ways(task.document))
        reasons = _reasons(section, change)
        gone += [
            RemovedEntry(one, reason, _unarchived(section, one))
            for one, reason in zip(change.leaves, reasons, strict=True)
        ]
        archived_only += _archived_only(section, change)
        counts[section.name] = (len(section.entries), len(change.lines))
    extra = tuple(_extra(sections_by_name.values(), counts)) if task.compacts else ()
    edits = _proved_together(task.document, ways)
    return CompactionPlan(task.path, edits, tuple(gone), counts, tuple(archived_only), extra)


def _proved_together(document: Document, ways: Sequence[Sequence[tuple[Edit, ...]]]) -> tuple[Edit, ...]:
    """Return the edits of all sections, proved by one parse; only if that fails, each section is proved on its own."""
    if not ways:
        return ()
    with suppress(VerificationError):
        return proved(document, [tuple(chain.from_iterable(first for first, *_ in ways))])
    return tuple(chain.from_iterable(proved(document, own) for own in ways))


def _extra(sections: Iterable[KeeperSection], counts: Mapping[str, tuple[int, int]]) -> Iterator[ExtraEntries]:
    """Yield the sections that keep more entries than their template wants."""
    for section in sections:
        _, count = counts.get(section.name, (0, len(section.entries)))
        if count > section.wanted:
            why = "rules" if section.compact_to > section.wanted else "alone"
            yield ExtraEntries(section.name, count, section.wanted, why)


def _reasons(section: KeeperSection, change: SectionRewrite) -> list[str]:
    """Return the reason why each entry leaves, for the archive."""
    task = section.task
    if task.compacts:
        return [
            "outdated" if one.parts.done else "expired" if section.is_over(one) else "compacted"
            for one in change.leaves
        ]
    old = older_values(task, [line_of(one) for one in section.entries]) if change.leaves else frozenset[int]()
    before = {one.line for index, one in enumerate(section.entries) if index in old}
    return [why_gone(task, one, change.lines, is_old=one.line in before) for one in change.leaves]


def _unarchived(section: KeeperSection, entry: Entry) -> tuple[str, ...] | None:
    """Return the originals of an entry that the archive does not hold yet; None to archive the entry as it is."""
    originals = section.task.originals
    if not section.is_simple(entry):
        return None
    units = originals.units(line_of(entry))
    if len(units) == 1 and units[0] not in originals:
        return None
    return tuple(unit for unit in units if unit not in originals)


def _archived_only(section: KeeperSection, change: SectionRewrite) -> list[str]:
    """Return the original entries that no line of the section contains any more."""
    text = "\n".join(map(comparison_key, change.lines))
    before = [unit for entry in change.leaves for one in (entry, *section.inner[entry.line])
              for unit in section.task.originals.units(line_of(one))]  # fmt: skip
    return [unit for unit in before if comparison_key(unit) not in text]
