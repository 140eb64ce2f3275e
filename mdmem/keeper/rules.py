"""The keeper that needs no model: it answers with the same operations as one, from the words that are there."""

from __future__ import annotations

from mdmem.keeper.area import Area, areas, line_of
from mdmem.keeper.condense import condense
from mdmem.keeper.lines import content_of
from mdmem.keeper.plan import Operation, Task
from mdmem.keeper.tidy import tidy


def answer(task: Task) -> tuple[Operation, ...]:
    """Answer a task: each section of a file that is compacted, or those of a tidied one that should change."""
    if not task.compacts:
        return tidy(task)
    return tuple(Operation(task.path, area.name, content_of(_lines(area))) for area in areas(task))


def _lines(area: Area) -> tuple[str, ...]:
    if area.is_settled:
        return tuple(line_of(entry) for entry in area.entries)
    alone = tuple(line_of(entry) for entry in area.alone)
    task = area.task
    made = condense(area.units, lines=area.compact_to, max_chars=area.max_chars, weigher=task.weigher, near=task.near)
    return (*alone, *made)
