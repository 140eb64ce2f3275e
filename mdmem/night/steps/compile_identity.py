"""Before the last step: compile the identity files whose sources changed (K152).

Without a model the rules do it in each pack at once, so the night does it only where there is a model.
"""

from __future__ import annotations

from mdmem.identity.model import SPECS, TARGETS
from mdmem.identity.service import compile_target, stale_targets
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep

NAME = "compile"
_OWN = ("user", "subject")  # owners of kinds of which a user has a file of its own


def _plan(run: NightRun) -> StepPlan:
    if not run.budget.has_model:
        return StepPlan()
    items = (
        NightItem(one, SPECS[one].path or SPECS[one].name, 1, moved=1, asks=True)
        for one in stale_targets(run.config, "model")
        if not run.config.user or run.config.schemas.required(SPECS[one].kind).owner in _OWN
    )
    return StepPlan(tuple(items))


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    target = next(one for one in TARGETS if one == item.key)
    done = compile_target(run.config, target, run.budget, falls_back=False)
    if done.status == "refused":
        return StepCounts(refused=1, reasons=(done.message,))
    if done.status != "done":
        return StepCounts(kept=1)
    return StepCounts(
        moved=1, reasons=(done.hint,) if done.hint else ()
    )  # the hint says why the rules' text was written


STEP = NightStep(NAME, _plan, _apply)
