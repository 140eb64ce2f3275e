"""Step 6: write the generated lines of MEMORY.md, USER.md and the persona file anew, as `mdmem refresh` does."""

from __future__ import annotations

from mdmem.errors import MdmemError
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep
from mdmem.portrait.model import TARGETS, PortraitTarget
from mdmem.portrait.service import Portrait


def _plan(run: NightRun) -> StepPlan:
    """Plan the files whose generated lines are not what the facts say now."""
    items: list[NightItem] = []
    counts = StepCounts()
    for target in _targets(run):
        try:
            (planned,) = Portrait(run.config).refresh(target, plan=True)
        except MdmemError as error:
            counts = counts.plus(run.refused(error.path, error))
            continue
        if planned.status == "unchanged":
            counts = counts.plus(StepCounts(kept=1))
        else:
            items.append(NightItem(target, planned.path, 1, moved=1))
    return StepPlan(tuple(items), counts)


def _targets(run: NightRun) -> tuple[PortraitTarget, ...]:
    return tuple(one for one in TARGETS if one in run.config.settings.night.portrait)


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    """Refresh one file."""
    for target in _targets(run):
        if target == item.key:
            (done,) = Portrait(run.config).refresh(target)
            return StepCounts(kept=1) if done.status == "unchanged" else StepCounts(moved=1)
    return StepCounts(kept=1)


STEP = NightStep("portrait", _plan, _apply)
