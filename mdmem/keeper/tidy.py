"""Tidying a file that has grown: what is done or over goes, what is said twice is said once, old weeks become a line.

The gentlest means come first, and the file is left alone as soon as it is small enough. Rules, corrections, open
to-dos, milestones and what is younger than `fresh_days` stay as they are (P020 to P023, G055).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import cached_property

from mdmem.core.document import Entry
from mdmem.core.entry import Parts, read_entry
from mdmem.core.expiry import last_day
from mdmem.core.meters import size
from mdmem.core.similarity import is_said, near_duplicates
from mdmem.core.template import fold
from mdmem.keeper.area import Area, areas, line_of
from mdmem.keeper.condense import condense
from mdmem.keeper.lines import content_of
from mdmem.keeper.piece import plain
from mdmem.keeper.plan import Operation, Task

_MARKER = 3  # a bullet, a space and a line ending


class Item:
    """One entry of a file that is tidied, or the line that several of them have become."""

    def __init__(self, area: Area, text: str, *, fixed: bool, dated: bool = True) -> None:
        self.area, self.text, self.fixed, self.dated = area, text, fixed, dated

    @cached_property
    def parts(self) -> Parts:
        """The text, taken apart."""
        return read_entry(self.text)

    def at(self, day: str) -> Item:
        """Give the same entry with a date in front, behind its checkbox."""
        box = self.parts.checkbox
        start = len(self.text) - len(self.text[box.end :].lstrip()) if box else 0
        return Item(self.area, f"{self.text[:start]}{day}{self.text[start:]}", fixed=self.fixed)

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
    tidying.date()
    tidying.distil()
    after = {name: tuple(item.text for item in tidying.items if item.area.name == name) for name in before}
    return tuple(
        Operation(task.path, name, content_of(lines)) for name, lines in after.items() if list(lines) != before[name]
    )


def why_gone(task: Task, entry: Entry, now: list[str]) -> str:
    """Say why an entry has left its file, for the archive."""
    day = last_day(entry.parts, " or ".join(task.template.parts.get("ttl", ())), task.sessions)
    if day and day < task.today:
        return "expired"
    if entry.parts.done:
        return "outdated"
    own = _day(line_of(entry))
    others = [text for text in now if own is None or _day(text) in (own, None)]
    return "merged" if is_said(_body(line_of(entry)), map(_body, others), task.near) else "compacted"


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

    def date(self) -> None:
        """Write today before what has no date, as the pen does (P023)."""
        day = self.task.today.isoformat() + ("：" if self.task.lang == "zh" else ": ")
        self.items = [item if item.dated else item.at(day) for item in self.items]

    def distil(self) -> None:
        """Make one line of an old week, then of the oldest two lines, until the file is small enough (P022)."""
        worth, least = self.task.weigher.importance, self.task.weigher.settings.keep_importance
        for easy in (True, False):
            while self.goal and self.chars > self.goal:
                free = [item for item in self._old() if not easy or worth(item.text) <= least]
                if not any(self._joined(group) for group in _groups(free)):
                    break

    def _item(self, area: Area, entry: Entry) -> Item:
        text = line_of(entry)
        simple = area.is_simple(entry) and not area.is_alone(entry)
        open_ = entry.parts.done is False
        fixed = not simple or open_ or self._is_milestone(area, entry) or self.task.weigher.is_kept(text)
        title = any(self.task.is_dated(section.title) for section in area.sections if entry in section.entries)
        dated = not simple or not area.rule.dated or title or self.task.is_dated(text)
        dated = dated or self.task.is_dated(self.task.path.rpartition("/")[2])
        return Item(area, text, fixed=fixed, dated=dated)

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
        found = [item for item in self.items if not item.fixed and item.day and item.day < limit]
        return sorted(found, key=lambda item: item.day or limit)

    def _joined(self, group: list[Item]) -> bool:
        """Make one line of a group; False where that would not make it shorter."""
        texts = [item.text for item in group]
        total = sum(map(len, texts))
        settings = self.task.weigher.settings
        most = min(group[0].area.rule.max_chars or total, round(settings.distil_to * total))
        if most < settings.distil_min_chars:
            return False
        made = condense(texts, lines=1, max_chars=most, weigher=self.task.weigher, near=self.task.near)
        if len(made) != 1 or len(made[0]) >= total or read_entry(made[0]).date is None:
            return False
        first = self.items.index(group[0])
        self.items[first] = Item(group[0].area, made[0], fixed=False)
        self.items = [item for item in self.items if item not in group]
        self.chars -= total + _MARKER * (len(group) - 1) - len(made[0])
        return True

    def _keep(self, keeps: Callable[[Item], bool]) -> None:
        self.chars -= sum(len(item.text) + _MARKER for item in self.items if not keeps(item))
        self.items = [item for item in self.items if keeps(item)]


def _groups(old: list[Item]) -> Iterator[list[Item]]:
    """Give what may become one line, the oldest first: the weeks of each section, then its two oldest lines."""
    weeks: dict[tuple[str, int, int], list[Item]] = {}
    sections: dict[str, list[Item]] = {}
    for item in old:
        if item.day:
            year, week, _ = item.day.isocalendar()
            weeks.setdefault((item.area.name, year, week), []).append(item)
            sections.setdefault(item.area.name, []).append(item)
    found = sorted(weeks.values(), key=lambda group: group[0].day or date.min)
    pairs = sorted(sections.values(), key=lambda group: -sum(len(item.text) for item in group))
    yield from (group for group in found if len(group) > 1)
    yield from (group[:2] for group in pairs if len(group) > 1)


def _day(text: str) -> date | None:
    found = read_entry(text).date
    return found.value if found else None


def _body(text: str) -> str:
    return read_entry(text).body.of(text).strip() or plain(text)
