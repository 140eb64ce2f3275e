"""Step 4: propose in the inbox what a person should decide about the facts; nothing else is changed.

Lines that state what was replaced by hand are to be corrected, and two names of one property become one.
"""

from __future__ import annotations

from mdmem.facts.hand_edits import correct_hand_edits, outdated_by_hand
from mdmem.facts.one_property import OneProperty, one_properties, propose_one_property
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep

_BY_HAND = "by-hand"


def _plan(run: NightRun) -> StepPlan:
    """Plan the proposals: one item for all lines that are outdated by hand, and one for each name."""
    lines = outdated_by_hand(run.config).lines
    items = [NightItem(_BY_HAND, lines[0].path, len(lines), moved=len(lines))] if lines else []
    items += [NightItem(_key(one), one.ended.path, 1, moved=1) for one in one_properties(run.config)]
    return StepPlan(tuple(items))


def _key(one: OneProperty) -> str:
    return f"{one.ended.path}#{one.ended.key}"


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    """Write one proposal, or those of all lines that are outdated by hand."""
    if item.key == _BY_HAND:
        done = correct_hand_edits(run.config).status == "done"
    else:
        found = next((one for one in one_properties(run.config) if _key(one) == item.key), None)
        done = found is not None and propose_one_property(run.config, found)
    return StepCounts(moved=item.entries) if done else StepCounts(kept=item.entries)


STEP = NightStep("corrections", _plan, _apply)
