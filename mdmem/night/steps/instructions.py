"""Step 9: write the block in the instruction files of agents anew, as `mdmem connect AGENT --file` does."""

from __future__ import annotations

from mdmem.instructions.service import InstructionFiles
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep


def _plan(run: NightRun) -> StepPlan:
    """Plan the files whose block is not what the memory says now."""
    items: list[NightItem] = []
    counts = StepCounts()
    for one in InstructionFiles(run.config).refresh(dry_run=True):
        key, file, error = one.key, one.file, one.error
        if error:
            counts = counts.plus(run.refused(file.path, error))
        elif file.status in ("unchanged", "gone"):
            counts = counts.plus(StepCounts(kept=1))
        else:
            items.append(NightItem(key, file.path, 1, moved=1))
    return StepPlan(tuple(items), counts)


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    """Write one block anew."""
    for one in InstructionFiles(run.config).refresh(item.key):
        file, error = one.file, one.error
        if error:
            raise error
        if file.status == "connected":
            return StepCounts(moved=1)
    return StepCounts(kept=1)


STEP = NightStep("instructions", _plan, _apply)
