"""The sections of a task: their entries, the entries that must not change, and the room for the condensed lines."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from functools import cached_property

from mdmem.formats.joined_line import join, joined_length, plain
from mdmem.formats.limits import last_day, owner_of, shares, view_room
from mdmem.formats.template import EntryRule
from mdmem.keeper.condensing.condense import pack, verbatim
from mdmem.keeper.model import CompactionTask
from mdmem.text.document import Entry, Section
from mdmem.text.inline import one_line

COMPACT_TO = "compact_to"


class KeeperSection:
    """The entries that count as one section: its own, those below its sub-headings, those of an equal heading."""

    def __init__(self, task: CompactionTask, name: str, sections: tuple[Section, ...], rule: EntryRule) -> None:
        self.task, self.name, self.sections, self.rule = task, name, sections, rule
        self.share: int | None = None  # characters of the view for its condensed lines; None for no limit
        self.equal_share = 0  # the share if all sections had the same

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The outermost entries with a text, in order; generated blocks are skipped."""
        autos = [auto.span for auto in self.task.document.auto_blocks]
        found = (
            entry for section in self.sections for entry in section.entries if not entry.depth and entry.text.strip()
        )
        return tuple(one for one in found if not any(auto.holds(one.marker) for auto in autos))

    @cached_property
    def inner(self) -> dict[int, tuple[Entry, ...]]:
        """The entries nested below each outermost entry, by the line of the outermost one."""
        nested = [entry for section in self.sections for entry in section.entries if entry.depth]
        return {one.line: tuple(two for two in nested if one.span.holds(two.span)) for one in self.entries}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of all entries, nested ones included, each as one line."""
        return tuple(line_of(one) for entry in self.entries for one in (entry, *self.inner[entry.line]))

    @cached_property
    def fixed(self) -> tuple[Entry, ...]:
        """The entries that must stay unchanged; see `is_alone`."""
        return tuple(entry for entry in self.entries if self.is_fixed(entry))

    def is_fixed(self, entry: Entry) -> bool:
        """Return whether an entry can neither be joined with others nor archived.

        Such an entry is empty, refused by the gate, or (where sections are condensed) valid until a day: in a joined
        line, that day would count for the other entries too.
        """
        if any(self.task.unfit(one.text) for one in (entry, *self.inner[entry.line])) or not entry.text.strip():
            return True
        day = self._last_day(entry) if self.task.compacts else None
        return day is not None and day >= self.task.today

    def is_simple(self, entry: Entry) -> bool:
        """Return whether an entry has neither blocks nor nested entries."""
        return not (entry.blocks or self.inner[entry.line])

    def is_over(self, entry: Entry) -> bool:
        """Return whether an entry is ticked off or past its last day."""
        day = self._last_day(entry)
        return bool(entry.parts.done or (day and day < self.task.today))

    def _last_day(self, entry: Entry) -> date | None:
        return last_day(entry.parts, " or ".join(self.task.template.parts.get("ttl", ())), self.task.sessions)

    def nested_lines(self, lines: Collection[str]) -> tuple[str, ...]:
        """Return the lines nested below the entries that these lines leave unchanged."""
        kept = (entry for entry in self.entries if line_of(entry) in lines)
        return tuple(line_of(one) for entry in kept for one in self.inner[entry.line])

    @cached_property
    def units(self) -> tuple[str, ...]:
        """The original entries to condense; each stays or leaves as a whole.

        A joined line is split into its originals. Entries that are over, and entries with blocks, which do not fit
        into a line, leave unless there are no others.
        """
        free = [entry for entry in self.entries if entry not in self.fixed]
        valid = [entry for entry in free if not self.is_over(entry) or self.task.scorer.is_kept(entry.text)]
        whole = [one for one in valid if not any(part.blocks for part in (one, *self.inner[one.line]))]
        return tuple(unit for entry in whole or valid or free for unit in self._units(entry))

    def _units(self, entry: Entry) -> tuple[str, ...]:
        inner = [plain(one.text) for one in self.inner[entry.line] if plain(one.text)]
        if not inner:
            return self.task.originals.units(line_of(entry))
        wide = not plain(entry.text).isascii()
        open_, close = ("（", "）") if wide else (" (", ")")
        return (f"{plain(entry.text)}{open_}{join(inner)}{close}",)

    @cached_property
    def verbatim(self) -> tuple[str, ...]:
        """The rules and corrections of the section, which must stay word for word."""
        return verbatim(self.units, self.task.scorer)

    @property
    def wanted(self) -> int:
        """The number of entries that the template wants to be left (F004)."""
        return int(self.task.template.numbers.get(COMPACT_TO, 1))

    @property
    def joins(self) -> bool:
        """Whether all entries are joined into one line; otherwise some entries stay, each on its own line."""
        return self.wanted == 1

    @cached_property
    def compact_to(self) -> int:
        """The number of lines that the section is condensed to; more than wanted only if its rules need them."""
        return max(self.wanted, len(pack(self.verbatim, self.rule.max_chars) if self.joins else self.verbatim))

    @property
    def max_chars(self) -> int | None:
        """The characters of a condensed line, limited by the entry's cap and by the room in the view."""
        return self.line_chars(None if self.share is None else max(self.share, self.equal_share))

    def line_chars(self, share: int | None) -> int | None:
        """Return the characters that one line may have if all lines together may have `share`."""
        if share is None:
            return self.rule.max_chars
        if not self.joins:
            return self.rule.max_chars
        rows = max(map(joined_length, pack(self.verbatim, self.rule.max_chars)), default=0)
        return max(rows, min(self.rule.max_chars or share, share // self.compact_to))

    @property
    def is_small_enough(self) -> bool:
        """Whether the section has no more entries than it is condensed to, and room for them."""
        if len(self.entries) > self.compact_to + len(self.fixed):
            return False
        return self.share is None or self.needed_chars <= self.share or len(self.units) <= self.compact_to

    @cached_property
    def needed_chars(self) -> int:
        """The characters that it would take to keep everything."""
        if len(self.entries) <= self.compact_to + len(self.fixed):
            return sum(len(line_of(one)) for one in self.entries if one not in self.fixed)
        most = joined_length(self.units)
        return most if self.rule.max_chars is None else min(most, self.rule.max_chars * self.compact_to)

    @cached_property
    def least(self) -> int:
        """The characters that are needed in any case: for the rules, or for the shortest entry."""
        if len(self.units) <= self.compact_to:
            return self.needed_chars
        return max(joined_length(self.verbatim), min(map(len, self.units), default=0))


def keeper_sections(task: CompactionTask) -> tuple[KeeperSection, ...]:
    """Return the sections of a file that have entries; headings that belong to one template section are merged."""
    named: dict[str, list[Section]] = {}
    rules: dict[str, EntryRule] = {}
    for section in task.document.sections:
        spec = owner_of(task.document, task.template, section)
        name = spec.name if spec else section.title
        named.setdefault(name, []).append(section)
        rules.setdefault(name, spec.entries if spec else task.template.entries)
    found = (KeeperSection(task, name, tuple(sections), rules[name]) for name, sections in named.items())
    filled = tuple(one for one in found if one.entries)
    room = view_room(task.template, task.scorer.settings.view_titles) if task.compacts else None
    if room is not None:
        room -= sum(len(line_of(entry)) for one in filled for entry in one.fixed)
        parts = shares(
            max(0, room),
            [one.needed_chars for one in filled],
            [one.least for one in filled],
        )
        for one, part in zip(filled, parts, strict=True):
            one.share, one.equal_share = part, max(0, room) // len(task.template.sections)
    return filled


def line_of(entry: Entry) -> str:
    """Return the text of an entry as one line."""
    return one_line(entry.text)
