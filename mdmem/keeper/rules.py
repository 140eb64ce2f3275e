"""The keeper that needs no model: it answers with the same operations as one, from the words that are there."""

from __future__ import annotations

from mdmem.keeper.area import Area, areas, line_of
from mdmem.keeper.condense import condense, weightiest
from mdmem.keeper.lines import content_of
from mdmem.keeper.piece import plain
from mdmem.keeper.plan import Operation, Task
from mdmem.keeper.tidy import tidy


def answer(task: Task) -> tuple[Operation, ...]:
    """Answer a task: each section of a file that is compacted, or those of a tidied one that should change."""
    if not task.compacts:
        return tidy(task)
    made: list[Operation] = []
    spare = 0
    for area in areas(task):
        lines = _lines(area, spare)
        spare += (area.share or 0) - sum(len(line) for line in lines if line not in map(line_of, area.alone))
        made.append(Operation(task.path, area.name, content_of(lines)))
    return tuple(made)


def _lines(area: Area, spare: int) -> tuple[str, ...]:
    """Condense a section; `spare` are the characters of the view that the sections before it left free."""
    if area.is_settled:
        return tuple(line_of(entry) for entry in area.entries)
    if not area.joins:
        return _fewer(area, spare)
    alone = tuple(line_of(entry) for entry in area.alone)
    most = area.line_chars(None if area.share is None else area.share + max(0, spare))
    task = area.task
    made = condense(area.units, lines=area.compact_to, max_chars=most, weigher=task.weigher, near=task.near)
    return (*alone, *made)


def _fewer(area: Area, spare: int) -> tuple[str, ...]:
    """Choose the entries of a section that stay, each as it stands."""
    task = area.task
    free = [one for one in area.entries if area.is_alone(one) or not area.is_over(one)]
    texts = [plain(line_of(one)) for one in free]
    fixed = [index for index, one in enumerate(free) if area.is_alone(one)]
    ranked = [index for index in weightiest(texts, task.weigher, task.near) if index not in fixed]
    room = None if area.share is None else area.share + max(0, spare)
    stays, used = set(fixed), 0
    for index in ranked:
        used += len(texts[index])
        if len(stays) < area.compact_to + len(fixed) and (room is None or used <= room or index == ranked[0]):
            stays.add(index)
    return tuple(line_of(one) for index, one in enumerate(free) if index in stays)
