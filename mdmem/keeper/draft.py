"""From operations that have been proved to the plan for one file."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.edit import Edit
from mdmem.keeper.area import areas
from mdmem.keeper.lines import lines_of
from mdmem.keeper.plan import Gone, Operation, Plan, Task
from mdmem.keeper.rewrite import Change
from mdmem.keeper.tidy import why_gone
from mdmem.keeper.verify import is_settled, section_of


def plan(task: Task, operations: Sequence[Operation]) -> Plan:
    """Give the edits that operations come to, and what leaves the file by them.

    Raises:
        VerificationError: the new lines would not stand as entries of their sections.
    """
    known = {area.name: area for area in areas(task)}
    edits: list[Edit] = []
    gone: list[Gone] = []
    counts: dict[str, tuple[int, int]] = {}
    for operation in operations:
        area = known.get(section_of(task, operation.section) or "")
        if area is None or (task.compacts and is_settled(area)):
            continue
        change = Change(area, lines_of(operation.content))
        if not change.new and not change.leaves:
            continue
        edits += change.edits(task.document)
        whys = ["compacted" if task.compacts else why_gone(task, one, change.lines) for one in change.leaves]
        gone += map(Gone, change.leaves, whys)
        counts[area.name] = (len(area.entries), len(change.lines))
    return Plan(task.path, tuple(edits), tuple(gone), counts)
