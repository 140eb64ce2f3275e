"""A section as a keeper sees it: its entries, those that must stay as they are, and how much may be left of them."""

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
    """The entries that count as one section's: its own, those below its sub-headings, and those of a second one."""

    def __init__(self, task: CompactionTask, name: str, sections: tuple[Section, ...], rule: EntryRule) -> None:
        self.task, self.name, self.sections, self.rule = task, name, sections, rule
        self.share: int | None = None  # characters that the view has for all that is condensed of it
        self.even = 0  # what it would have if each section had as much

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The outermost entries with a text of their own that no generator wrote, in order."""
        autos = [auto.span for auto in self.task.document.auto_blocks]
        found = (
            entry for section in self.sections for entry in section.entries if not entry.depth and entry.text.strip()
        )
        return tuple(one for one in found if not any(auto.holds(one.marker) for auto in autos))

    @cached_property
    def inner(self) -> dict[int, tuple[Entry, ...]]:
        """The entries below each outermost one, by the line that it begins in."""
        nested = [entry for section in self.sections for entry in section.entries if entry.depth]
        return {one.line: tuple(two for two in nested if one.span.holds(two.span)) for one in self.entries}

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """What the entries say, nested ones included, each as one line."""
        return tuple(line_of(one) for entry in self.entries for one in (entry, *self.inner[entry.line]))

    @cached_property
    def alone(self) -> tuple[Entry, ...]:
        """The entries that stay just as they are: nobody may write their text anew."""
        return tuple(entry for entry in self.entries if self.is_alone(entry))

    def is_alone(self, entry: Entry) -> bool:
        """Return True for an entry that can neither be joined with others nor archived.

        One that holds until some day is such an entry where sections are condensed: the day would count for the line.
        """
        if any(self.task.unfit(one.text) for one in (entry, *self.inner[entry.line])) or not entry.text.strip():
            return True
        day = self._last_day(entry) if self.task.compacts else None
        return day is not None and day >= self.task.today

    def is_simple(self, entry: Entry) -> bool:
        """Return whether an entry is its text and nothing besides."""
        return not (entry.blocks or self.inner[entry.line])

    def is_over(self, entry: Entry) -> bool:
        """Return True for an entry that is done with: ticked, or past its last day."""
        day = self._last_day(entry)
        return bool(entry.parts.done or (day and day < self.task.today))

    def _last_day(self, entry: Entry) -> date | None:
        return last_day(entry.parts, " or ".join(self.task.template.parts.get("ttl", ())), self.task.sessions)

    def standing(self, lines: Collection[str]) -> tuple[str, ...]:
        """Return what stands below the entries that these lines leave as they are."""
        kept = (entry for entry in self.entries if line_of(entry) in lines)
        return tuple(line_of(one) for entry in kept for one in self.inner[entry.line])

    @cached_property
    def units(self) -> tuple[str, ...]:
        """What the section is condensed from: each is an entry, and stays whole or leaves whole.

        A line that was made of several entries is taken apart into them. What is done, and what holds blocks that no
        line could hold, leaves, unless there is nothing else.
        """
        free = [entry for entry in self.entries if entry not in self.alone]
        told = [entry for entry in free if not self.is_over(entry) or self.task.weigher.is_kept(entry.text)]
        whole = [one for one in told if not any(part.blocks for part in (one, *self.inner[one.line]))]
        return tuple(unit for entry in whole or told or free for unit in self._units(entry))

    def _units(self, entry: Entry) -> tuple[str, ...]:
        inner = [plain(one.text) for one in self.inner[entry.line] if plain(one.text)]
        if not inner:
            return self.task.originals.units(line_of(entry))
        wide = not plain(entry.text).isascii()
        open_, close = ("（", "）") if wide else (" (", ")")
        return (f"{plain(entry.text)}{open_}{join(inner)}{close}",)

    @cached_property
    def verbatim(self) -> tuple[str, ...]:
        """The rules and corrections of the section, which survive word for word."""
        return verbatim(self.units, self.task.weigher)

    @cached_property
    def joins(self) -> bool:
        """Return True where all entries become one line; else entries stay entries, and fewer of them stay."""
        return int(self.task.template.numbers.get(COMPACT_TO, 1)) == 1

    @cached_property
    def compact_to(self) -> int:
        """How many lines the section is condensed to; more only where its rules do not fit into so many."""
        most = int(self.task.template.numbers.get(COMPACT_TO, 1))
        return max(most, len(pack(self.verbatim, self.rule.max_chars) if self.joins else self.verbatim))

    @property
    def max_chars(self) -> int | None:
        """The characters of a condensed line: what an entry may have, and what the view has room for."""
        return self.line_chars(None if self.share is None else max(self.share, self.even))

    def line_chars(self, share: int | None) -> int | None:
        """Return the characters that a line may have if all lines together have so many."""
        if share is None:
            return self.rule.max_chars
        if not self.joins:
            return self.rule.max_chars
        rows = max(map(joined_length, pack(self.verbatim, self.rule.max_chars)), default=0)
        return max(rows, min(self.rule.max_chars or share, share // self.compact_to))

    @property
    def is_settled(self) -> bool:
        """Return True for a section with no more entries than it is condensed to, and room for them."""
        if len(self.entries) > self.compact_to + len(self.alone):
            return False
        return self.share is None or self.wants <= self.share or len(self.units) <= self.compact_to

    @cached_property
    def wants(self) -> int:
        """How many characters it would take to keep everything."""
        if len(self.entries) <= self.compact_to + len(self.alone):
            return sum(len(line_of(one)) for one in self.entries if one not in self.alone)
        most = joined_length(self.units)
        return most if self.rule.max_chars is None else min(most, self.rule.max_chars * self.compact_to)

    @cached_property
    def least(self) -> int:
        """How many characters are taken in any case: by the rules, or by the shortest entry."""
        if len(self.units) <= self.compact_to:
            return self.wants
        return max(joined_length(self.verbatim), min(map(len, self.units), default=0))


def keeper_sections(task: CompactionTask) -> tuple[KeeperSection, ...]:
    """Return sections of a file that have entries: those of the template together with all that counts as theirs."""
    named: dict[str, list[Section]] = {}
    rules: dict[str, EntryRule] = {}
    for section in task.document.sections:
        spec = owner_of(task.document, task.template, section)
        name = spec.name if spec else section.title
        named.setdefault(name, []).append(section)
        rules.setdefault(name, spec.entries if spec else task.template.entries)
    found = (KeeperSection(task, name, tuple(sections), rules[name]) for name, sections in named.items())
    held = tuple(area for area in found if area.entries)
    room = view_room(task.template, task.weigher.settings.view_titles) if task.compacts else None
    if room is not None:
        room -= sum(len(line_of(one)) for area in held for one in area.alone)
        parts = shares(max(0, room), [area.wants for area in held], [area.least for area in held])
        for area, part in zip(held, parts, strict=True):
            area.share, area.even = part, max(0, room) // len(task.template.sections)
    return held


def line_of(entry: Entry) -> str:
    """Return what an entry says as one line."""
    return one_line(entry.text)
