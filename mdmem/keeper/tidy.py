"""Tidy a file that has grown: what is done, past its day, said twice or no longer so leaves, then what weighs least.

An entry stays whole or leaves whole. The gentlest means come first, and the file is left alone as soon as it is small
enough. Rules, corrections, open to-dos, milestones and what is younger than `fresh_days` stay (P020 to P023, G055).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, timedelta
from functools import cached_property

from mdmem.core.document import Entry
from mdmem.core.entry import Parts, read_entry
from mdmem.core.expiry import last_day
from mdmem.core.meters import size
from mdmem.core.similarity import is_said, near_duplicates
from mdmem.core.template import fold
from mdmem.keeper.area import BULLET, Area, areas, line_of
from mdmem.keeper.lines import content_of
from mdmem.keeper.piece import plain
from mdmem.keeper.plan import Operation, Task
from mdmem.keeper.supersede import superseded


class Item:
    """One entry of a file that is tidied."""

    def __init__(self, area: Area, text: str, *, fixed: bool) -> None:
        self.area, self.text, self.fixed = area, text, fixed

    @cached_property
    def parts(self) -> Parts:
        """The text, taken apart."""
        return read_entry(self.text)

    @cached_property
    def day(self) -> date | None:
        """The day it begins with."""
        return _day(self.text)


def tidy(task: Task) -> tuple[Operation, ...]:
    """Give the sections of a file that is to be tidied as they should be; none where there is nothing to do."""
    before = {area.name: [line_of(entry) for entry in area.entries] for area in areas(task)}
    tidying = _Tidying(task)
    tidying.drop()
    tidying.merge()
    tidying.supersede()
    tidying.shrink()
    after = {name: tuple(item.text for item in tidying.items if item.area.name == name) for name in before}
    return tuple(
        Operation(task.path, name, content_of(lines)) for name, lines in after.items() if list(lines) != before[name]
    )


def why_gone(task: Task, entry: Entry, now: list[str], *, is_old: bool) -> str:
    """Return why an entry has left its file, for the archive; `is_old` for the older value of one thing."""
    day = last_day(entry.parts, " or ".join(task.template.parts.get("ttl", ())), task.sessions)
    if day and day < task.today:
        return "expired"
    if entry.parts.done:
        return "outdated"
    own = _day(line_of(entry))
    others = [text for text in now if own is None or _day(text) in (own, None)]
    if is_said(_body(line_of(entry)), map(_body, others), task.near):
        return "merged"
    return "superseded" if is_old else "compacted"


def older_values(task: Task, lines: Sequence[str]) -> frozenset[int]:
    """Return which of these entries are older values of one thing (D022)."""
    values = [(_body(line), _day(line), order) for order, line in enumerate(lines)]
    return superseded(values, task.weigher.settings)


class _Tidying:
    """The file on its way."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.items = [self._item(area, entry) for area in areas(task) for entry in area.entries]
        self.chars = size(task.document).chars
        self.goal = task.weigher.settings.tidy_to * (task.template.file.max_chars or 0)

    def drop(self) -> None:
        """Take out what is done, and what is past its last day."""
        self._keep(lambda item: not self._over(item))

    def merge(self) -> None:
        """Of entries that say the same of the same day, keep the newest; an undated one gives way to a dated one."""
        free = [item for item in self.items if not item.fixed]
        gone: set[Item] = set()
        for later, earlier in near_duplicates([_body(item.text) for item in free], self.task.near):
            one, other = free[later], free[earlier]
            if one.day is None or other.day is None or one.day == other.day:
                gone.add(one if one.day is None and other.day else other)
        self._keep(lambda item: item not in gone)

    def supersede(self) -> None:
        """Take out the older values of one thing (D022)."""
        free = [item for item in self.items if not item.fixed]
        gone = {free[index] for index in older_values(self.task, [item.text for item in free])}
        self._keep(lambda item: item not in gone)

    def shrink(self) -> None:
        """Take out old entries until the file is small enough: what weighs least first, the oldest of it (P022)."""
        worth, least = self.task.weigher.importance, self.task.weigher.settings.keep_importance
        old = sorted(self._old(), key=lambda item: worth(item.text) > least) if self.chars > self.goal else []
        gone: set[Item] = set()
        left = self.chars - self.goal if self.goal else 0
        for item in old:
            if left <= 0:
                break
            gone.add(item)
            left -= len(item.text) + BULLET
        self._keep(lambda item: item not in gone)

    def _item(self, area: Area, entry: Entry) -> Item:
        text = line_of(entry)
        simple = area.is_simple(entry) and not area.is_alone(entry)
        open_ = entry.parts.done is False
        fixed = not simple or open_ or self._is_milestone(area, entry) or self.task.weigher.is_kept(text)
        fixed = fixed or self.task.is_form(text)
        return Item(area, text, fixed=fixed)

    def _is_milestone(self, area: Area, entry: Entry) -> bool:
        words = self.task.template.parts.get("milestones", ())
        names = {self.task.template.name(word) or word for word in words}
        tags = {fold(tag) for tag in entry.parts.tags}
        return area.name in names or bool(tags & {fold(word) for word in words})

    def _over(self, item: Item) -> bool:
        """Tell whether an entry is done with: ticked, or past its last day."""
        if not item.fixed and item.parts.done:
            return True
        day = last_day(item.parts, " or ".join(self.task.template.parts.get("ttl", ())), self.task.sessions)
        free = not (self.task.unfit(item.text) or self.task.weigher.is_kept(item.text))
        return bool(free and day and day < self.task.today)

    def _old(self) -> list[Item]:
        limit = self.task.today - timedelta(days=self.task.weigher.settings.fresh_days)
        found = [item for item in self.items if not item.fixed and (item.day is None or item.day < limit)]
        return sorted(found, key=lambda item: item.day or limit)  # what tells no day comes last

    def _keep(self, keeps: Callable[[Item], bool]) -> None:
        self.chars -= sum(len(item.text) + BULLET for item in self.items if not keeps(item))
        self.items = [item for item in self.items if keeps(item)]


def _day(text: str) -> date | None:
    found = read_entry(text).date
    return found.value if found else None


def _body(text: str) -> str:
    return read_entry(text).body.of(text).strip() or plain(text)
