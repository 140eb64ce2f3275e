"""From operations that have been proved to the plan for one file."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.core.document import Entry
from mdmem.core.edit import Edit
from mdmem.core.similarity import essence
from mdmem.keeper.area import Area, areas, line_of
from mdmem.keeper.lines import lines_of
from mdmem.keeper.plan import Gone, Operation, Plan, Task
from mdmem.keeper.rewrite import Change
from mdmem.keeper.tidy import older_values, why_gone
from mdmem.keeper.verify import section_of


def plan(task: Task, operations: Sequence[Operation]) -> Plan:
    """Give the edits that operations come to, and what leaves the file by them.

    Raises:
        VerificationError: the new lines would not stand as entries of their sections.
    """
    known = {area.name: area for area in areas(task)}
    edits: list[Edit] = []
    gone: list[Gone] = []
    away: list[str] = []
    counts: dict[str, tuple[int, int]] = {}
    for operation in operations:
        area = known.get(section_of(task, operation.section) or "")
        if area is None or (task.compacts and area.is_settled):
            continue
        change = Change(area, lines_of(operation.content))
        if not change.new and not change.leaves:
            continue
        edits += change.edits(task.document)
        whys = _whys(area, change)
        gone += [Gone(one, why, _left(area, one)) for one, why in zip(change.leaves, whys, strict=True)]
        away += _away(area, change)
        counts[area.name] = (len(area.entries), len(change.lines))
    return Plan(task.path, tuple(edits), tuple(gone), counts, tuple(away))


def _whys(area: Area, change: Change) -> list[str]:
    """Return why each entry leaves."""
    task = area.task
    if task.compacts:
        return [
            "outdated" if one.parts.done else "expired" if area.is_over(one) else "compacted" for one in change.leaves
        ]
    old = older_values(task, [line_of(one) for one in area.entries]) if change.leaves else frozenset[int]()
    before = {one.line for index, one in enumerate(area.entries) if index in old}
    return [why_gone(task, one, change.lines, is_old=one.line in before) for one in change.leaves]


def _left(area: Area, entry: Entry) -> tuple[str, ...] | None:
    """Return what of an entry the archive does not hold yet; None where that is the entry itself."""
    originals = area.task.originals
    if not area.is_simple(entry):
        return None
    units = originals.units(line_of(entry))
    if len(units) == 1 and units[0] not in originals:
        return None
    return tuple(unit for unit in units if unit not in originals)


def _away(area: Area, change: Change) -> list[str]:
    """Return the entries that no line of the section holds any more."""
    said = "\n".join(map(essence, change.lines))
    before = [unit for entry in change.leaves for one in (entry, *area.inner[entry.line])
              for unit in area.task.originals.units(line_of(one))]  # fmt: skip
    return [unit for unit in before if essence(unit) not in said]
