"""Tidy a file without a model: merge repetitions, remove what is over, archive old entries until it is small enough.

Also here: statements that are repeated on several days, and the answer of the built-in rules to a task.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from functools import cached_property
from typing import NamedTuple

from mdmem.formats.joined_line import plain
from mdmem.formats.limits import BULLET, last_day, size
from mdmem.formats.template import Template, fold
from mdmem.generation.model import Operation, content_of
from mdmem.keeper.condensing.condense import condense, most_important
from mdmem.keeper.condensing.sections import KeeperSection, keeper_sections, line_of
from mdmem.keeper.condensing.supersede import superseded
from mdmem.keeper.model import CompactionTask
from mdmem.text.document import Document, Entry
from mdmem.text.entry import EntryParts, read_dates, read_entry
from mdmem.text.similarity import comparison_key, is_near_duplicate_of_any, near_duplicates

DAYS = "also"  # the field with the earlier days, oldest first


class Repeat(NamedTuple):
    """Entries of one section that repeat a statement on different days."""

    kept: Entry  # the entry of the last day
    text: str  # its new text, with the earlier days in a field
    gone: tuple[Entry, ...]


def repeats(document: Document, template: Template) -> Iterator[Repeat]:
    """Yield the statements that are repeated on several days, where a template wants each entry once.

    To-dos, entries that others refer to, and entries with nested ones are not merged.
    """
    if template.body != "markdown" or "milestones" in template.parts:  # a file that is rolled up records events
        return
    if not any(rule.unique for rule in (template.entries, *(spec.entries for spec in template.sections))):
        return  # before the document is parsed
    for section in document.sections:
        rule = template.rules(section)
        groups: dict[str, list[Entry]] = {}
        for entry in section.entries if rule.unique else ():
            if key := _statement(entry):
                groups.setdefault(key, []).append(entry)
        for entries in groups.values():
            if len(entries) > 1 and (found := _merged(entries, rule.max_chars)):
                yield found


def _statement(entry: Entry) -> str:
    """Return the comparison key of an entry without its day; empty if it must not be merged."""
    parts = entry.parts
    single = not entry.depth and entry.line == entry.last_line and parts.id is None and parts.meta is None
    if not single or parts.done is not None or parts.date is None or parts.date.value is None:
        return ""
    return comparison_key(parts.body.of(entry.text))


def _merged(entries: Sequence[Entry], most: int | None) -> Repeat | None:
    kept = max(entries, key=lambda one: (_day_of_entry(one), one.line))
    days = {day for one in entries for day in (_day_of_entry(one), *_earlier(one))} - {_day_of_entry(kept)}
    if not days:
        return None  # a duplicate of the same day, which MM305 reports
    listed, earlier_days = ", ".join(sorted(days)), kept.parts.field(DAYS)
    span = earlier_days.value_span if earlier_days else None
    if span:
        text = f"{kept.text[: span.start]} {listed}{kept.text[span.end :]}"
    else:
        text = f"{kept.text.rstrip()} [{DAYS}:: {listed}]"
    if most is not None and len(text) > most:
        return None
    return Repeat(kept, text, tuple(one for one in entries if one is not kept))


def _day_of_entry(entry: Entry) -> str:
    date = entry.parts.date
    return date.value.isoformat() if date and date.value else ""


def _earlier(entry: Entry) -> Iterator[str]:
    field = entry.parts.field(DAYS)
    yield from (one.value.isoformat() for one in read_dates(field.value if field else "") if one.value)


class TidyItem:
    """One entry of a file that is tidied."""

    def __init__(self, section: KeeperSection, text: str, *, fixed: bool) -> None:
        self.section, self.text, self.fixed = section, text, fixed

    @cached_property
    def parts(self) -> EntryParts:
        """The parts of the text."""
        return read_entry(self.text)

    @cached_property
    def day(self) -> date | None:
        """The leading date of the text."""
        return _day(self.text)


def tidy(task: CompactionTask) -> tuple[Operation, ...]:
    """Return the tidied sections of a file; empty if there is nothing to do."""
    before = {section.name: [line_of(entry) for entry in section.entries] for section in keeper_sections(task)}
    tidying = _Tidying(task)
    tidying.drop()
    tidying.merge()
    tidying.supersede()
    tidying.shrink()
    after = {name: tuple(item.text for item in tidying.items if item.section.name == name) for name in before}
    return tuple(
        Operation(task.path, name, content_of(lines)) for name, lines in after.items() if list(lines) != before[name]
    )


def why_gone(task: CompactionTask, entry: Entry, now: list[str], *, is_old: bool) -> str:
    """Return why an entry leaves its file, for the archive; `is_old` for the older value of one thing."""
    day = last_day(entry.parts, " or ".join(task.template.parts.get("ttl", ())), task.sessions)
    if day and day < task.today:
        return "expired"
    if entry.parts.done:
        return "outdated"
    own = _day(line_of(entry))
    others = [text for text in now if own is None or _day(text) in (own, None)]
    if is_near_duplicate_of_any(_body(line_of(entry)), map(_body, others), task.near):
        return "merged"
    return "superseded" if is_old else "compacted"


def older_values(task: CompactionTask, lines: Sequence[str]) -> frozenset[int]:
    """Return the indices of the lines that are older values of one thing (D022)."""
    values = [(_body(line), _day(line), order) for order, line in enumerate(lines)]
    return superseded(values, task.scorer.settings)


class _Tidying:
    """The entries of a file, reduced step by step."""

    def __init__(self, task: CompactionTask) -> None:
        self.task = task
        self.items = [self._item(section, entry) for section in keeper_sections(task) for entry in section.entries]
        self.chars = size(task.document).chars
        self.goal = task.scorer.settings.tidy_to * (task.template.file.max_chars or 0)

    def drop(self) -> None:
        """Remove entries that are ticked off or past their last day."""
        self._keep(lambda item: not self._is_over(item))

    def merge(self) -> None:
        """Remove repetitions of the same day except the newest; a dated entry replaces an undated one."""
        free = [item for item in self.items if not item.fixed]
        gone: set[TidyItem] = set()
        for later, earlier in near_duplicates([_body(item.text) for item in free], self.task.near):
            one, other = free[later], free[earlier]
            if one.day is None or other.day is None or one.day == other.day:
                gone.add(one if one.day is None and other.day else other)
        self._keep(lambda item: item not in gone)

    def supersede(self) -> None:
        """Remove older values of one thing (D022)."""
        free = [item for item in self.items if not item.fixed]
        gone = {free[index] for index in older_values(self.task, [item.text for item in free])}
        self._keep(lambda item: item not in gone)

    def shrink(self) -> None:
        """Remove old entries until the file is small enough: the least important first, of these the oldest (P022)."""
        importance, least = self.task.scorer.importance, self.task.scorer.settings.keep_importance
        old = sorted(self._old(), key=lambda item: importance(item.text) > least) if self.chars > self.goal else []
        gone: set[TidyItem] = set()
        left = self.chars - self.goal if self.goal else 0
        for item in old:
            if left <= 0:
                break
            gone.add(item)
            left -= len(item.text) + BULLET
        self._keep(lambda item: item not in gone)

    def _item(self, section: KeeperSection, entry: Entry) -> TidyItem:
        text = line_of(entry)
        simple = section.is_simple(entry) and not section.is_fixed(entry)
        open_ = entry.parts.done is False
        fixed = not simple or open_ or self._is_milestone(section, entry) or self.task.scorer.is_kept(text)
        fixed = fixed or self.task.is_form(text)
        return TidyItem(section, text, fixed=fixed)

    def _is_milestone(self, section: KeeperSection, entry: Entry) -> bool:
        words = self.task.template.parts.get("milestones", ())
        names = {self.task.template.name(word) or word for word in words}
        tags = {fold(tag) for tag in entry.parts.tags}
        return section.name in names or bool(tags & {fold(word) for word in words})

    def _is_over(self, item: TidyItem) -> bool:
        """Return whether an entry may leave because it is ticked off or past its last day."""
        if not item.fixed and item.parts.done:
            return True
        day = last_day(item.parts, " or ".join(self.task.template.parts.get("ttl", ())), self.task.sessions)
        free = not (self.task.unfit(item.text) or self.task.scorer.is_kept(item.text))
        return bool(free and day and day < self.task.today)

    def _old(self) -> list[TidyItem]:
        limit = self.task.today - timedelta(days=self.task.scorer.settings.fresh_days)
        found = [item for item in self.items if not item.fixed and (item.day is None or item.day < limit)]
        return sorted(found, key=lambda item: item.day or limit)  # undated entries last

    def _keep(self, keeps: Callable[[TidyItem], bool]) -> None:
        self.chars -= sum(len(item.text) + BULLET for item in self.items if not keeps(item))
        self.items = [item for item in self.items if keeps(item)]


def _day(text: str) -> date | None:
    found = read_entry(text).date
    return found.value if found else None


def _body(text: str) -> str:
    return read_entry(text).body.of(text).strip() or plain(text)


def rule_based_answer(task: CompactionTask) -> tuple[Operation, ...]:
    """Return the answer of the built-in rules: all sections of a compacted file, or the tidied ones that change."""
    if not task.compacts:
        return tidy(task)
    operations: list[Operation] = []
    spare = 0
    for section in keeper_sections(task):
        lines = _lines(section, spare)
        spare += (section.share or 0) - sum(len(line) for line in lines if line not in map(line_of, section.fixed))
        operations.append(Operation(task.path, section.name, content_of(lines)))
    return tuple(operations)


def _lines(section: KeeperSection, spare: int) -> tuple[str, ...]:
    """Return the condensed lines of a section; `spare` is the room in the view that earlier sections left free."""
    if section.is_small_enough:
        return tuple(line_of(entry) for entry in section.entries)
    if not section.joins:
        return _chosen_lines(section, spare)
    fixed = tuple(line_of(entry) for entry in section.fixed)
    most = section.line_chars(None if section.share is None else section.share + max(0, spare))
    task = section.task
    condensed = condense(section.units, lines=section.compact_to, max_chars=most, scorer=task.scorer, near=task.near)
    return (*fixed, *condensed)


def _chosen_lines(section: KeeperSection, spare: int) -> tuple[str, ...]:
    """Return the entries of a section that stay, each unchanged."""
    task = section.task
    free = [one for one in section.entries if section.is_fixed(one) or not section.is_over(one)]
    texts = [plain(line_of(one)) for one in free]
    fixed = [index for index, one in enumerate(free) if section.is_fixed(one)]
    ranked = [index for index in most_important(texts, task.scorer, task.near) if index not in fixed]
    room = None if section.share is None else section.share + max(0, spare)
    stays, used = set(fixed), 0
    for index in ranked:
        used += len(texts[index])
        if len(stays) < section.compact_to + len(fixed) and (room is None or used <= room or index == ranked[0]):
            stays.add(index)
    return tuple(line_of(one) for index, one in enumerate(free) if index in stays)
