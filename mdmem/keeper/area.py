"""A section as a keeper sees it: its entries, those that must stay as they are, and how many may be left."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from mdmem.core.document import Entry, Section
from mdmem.core.expiry import last_day
from mdmem.core.meters import owner_of
from mdmem.core.oneline import one_line
from mdmem.core.template import EntryRule
from mdmem.keeper.condense import pack, verbatim
from mdmem.keeper.plan import Task

_COMPACT_TO = "compact_to"


class Area:
    """The entries that count as one section's: its own, those below its sub-headings, and those of a second one."""

    def __init__(self, task: Task, name: str, sections: tuple[Section, ...], rule: EntryRule) -> None:
        self.task, self.name, self.sections, self.rule = task, name, sections, rule

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The outermost entries that no generator wrote, in order."""
        autos = [auto.span for auto in self.task.document.auto_blocks]
        found = (entry for section in self.sections for entry in section.entries if not entry.depth)
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
        """Tell whether an entry can neither be joined with others nor archived."""
        return any(self.task.unfit(one.text) for one in (entry, *self.inner[entry.line])) or not entry.text.strip()

    def is_simple(self, entry: Entry) -> bool:
        """Tell whether an entry is its text and nothing besides."""
        return not (entry.blocks or self.inner[entry.line])

    def is_over(self, entry: Entry) -> bool:
        """Tell whether an entry is done with: ticked, or past its last day."""
        day = last_day(entry.parts, " or ".join(self.task.template.parts.get("ttl", ())), self.task.sessions)
        return bool(entry.parts.done or (day and day < self.task.today))

    def standing(self, lines: Collection[str]) -> tuple[str, ...]:
        """Give what stands below the entries that these lines leave as they are."""
        kept = (entry for entry in self.entries if line_of(entry) in lines)
        return tuple(line_of(one) for entry in kept for one in self.inner[entry.line])

    @cached_property
    def verbatim(self) -> tuple[str, ...]:
        """The rules and corrections of the section, which survive word for word."""
        kept = [one.line for one in self.alone]
        free = [entry for entry in self.entries if entry.line not in kept]
        texts = [line_of(one) for entry in free for one in (entry, *self.inner[entry.line])]
        return verbatim(texts, self.task.weigher)

    @cached_property
    def compact_to(self) -> int:
        """How many lines the section is condensed to; more only where its rules do not fit into so many."""
        most = int(self.task.template.numbers.get(_COMPACT_TO, 1))
        return max(most, len(pack(self.verbatim, self.rule.max_chars)))


def areas(task: Task) -> tuple[Area, ...]:
    """Give the sections of a file that have entries: those of the template together with all that counts as theirs."""
    named: dict[str, list[Section]] = {}
    rules: dict[str, EntryRule] = {}
    for section in task.document.sections:
        spec = owner_of(task.document, task.template, section)
        name = spec.name if spec else section.title
        named.setdefault(name, []).append(section)
        rules.setdefault(name, spec.entries if spec else task.template.entries)
    found = (Area(task, name, tuple(sections), rules[name]) for name, sections in named.items())
    return tuple(area for area in found if area.entries)


def line_of(entry: Entry) -> str:
    """Give what an entry says as one line."""
    return one_line(entry.text)
