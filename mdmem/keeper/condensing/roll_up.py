"""Roll up a notebook: archive the oldest notes until the file is small enough (G055, G061).

A note stays or leaves as a whole, with its source. Milestones, rules, corrections, open to-dos and the newest note of
each section stay; of the rest, important notes leave last. The order of the file counts, not the age in days: a
thousand notes of one day are rolled up as well.
"""

from __future__ import annotations

from mdmem.formats.limits import BULLET, size
from mdmem.formats.template import fold
from mdmem.generation.model import Operation, content_of
from mdmem.keeper.condensing.sections import KeeperSection, keeper_sections, line_of
from mdmem.keeper.model import CompactionTask
from mdmem.text.document import Entry
from mdmem.text.similarity import near_duplicates

MILESTONES = "milestones"  # the key in templates whose files are rolled up


def rolls(task: CompactionTask) -> bool:
    """Return whether a file is rolled up instead of condensed or tidied."""
    return not task.compacts and MILESTONES in task.template.parts


def roll(task: CompactionTask) -> tuple[Operation, ...]:
    """Return the sections that change, with the entries that stay; empty if there is nothing to do."""
    found = keeper_sections(task)
    free = [entry for section in found for entry in section.entries[:-1] if not _stays(section, entry)]
    gone = {*_ended(found), *_repeated(task, free)}
    settings = task.scorer.settings
    goal = settings.roll_to * (task.template.file.max_chars or 0)
    chars = size(task.document).chars - sum(map(_chars, gone))
    for entry in sorted(free, key=lambda one: task.scorer.importance(line_of(one)) > settings.keep_importance):
        if not goal or chars <= goal:
            break
        if entry not in gone:
            gone.add(entry)
            chars -= _chars(entry)
    changed = [section for section in found if not gone.isdisjoint(section.entries)]
    return tuple(
        Operation(
            task.path, section.name, content_of(tuple(line_of(one) for one in section.entries if one not in gone))
        )
        for section in changed
    )


def _stays(section: KeeperSection, entry: Entry) -> bool:
    task = section.task
    words = task.template.parts[MILESTONES]
    if section.name in {task.template.name(word) or word for word in words}:
        return True
    is_milestone = not {fold(tag) for tag in entry.parts.tags}.isdisjoint(map(fold, words))
    simple = section.is_simple(entry) and not section.is_fixed(entry)
    return is_milestone or not simple or entry.parts.done is False or task.scorer.is_kept(line_of(entry))


def _ended(found: tuple[KeeperSection, ...]) -> list[Entry]:
    """Return the notes that are ticked off or past their last day, except those that stay."""
    return [
        entry for section in found for entry in section.entries if section.is_over(entry) and not _stays(section, entry)
    ]


def _repeated(task: CompactionTask, free: list[Entry]) -> list[Entry]:
    """Return the notes that a later note of the same day repeats."""
    texts = [one.parts.body.of(one.text).strip() or line_of(one) for one in free]
    days = [one.parts.date.value if one.parts.date else None for one in free]
    pairs = near_duplicates(texts, task.near)
    return [free[earlier] for later, earlier in pairs if days[later] == days[earlier]]


def _chars(entry: Entry) -> int:
    return len(entry.text) + BULLET
