"""Step 1: propose what sessions teach whose end did not: those that broke off, are idle, or were imported.

It comes before the step that writes their episodes, by which a session is known to be done with.
"""

from __future__ import annotations

from mdmem.episodes.service import pending_episodes
from mdmem.errors import MdmemError
from mdmem.generation.chosen_backend import RULES, ChosenBackend
from mdmem.learning.read import read_seen
from mdmem.learning.service import learn, teaches
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep
from mdmem.sessions.read import head


def _plan(run: NightRun) -> StepPlan:
    """Plan the sessions that teach something new, the oldest first."""
    if not run.config.settings.learning.enabled:
        return StepPlan()
    items: list[NightItem] = []
    counts = StepCounts()
    for path in reversed(pending_episodes(run.config)):
        try:
            is_new = teaches(run.config, head(run.config, path), read_seen(run.config, path))
        except MdmemError as error:
            counts = counts.plus(run.refused(path, error))
            continue
        if is_new:
            items.append(NightItem(path, path, 1, moved=1, asks=run.budget.has_model))
    return StepPlan(tuple(items), counts)


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    """Propose the patterns of one session in the inbox."""
    backend = run.budget if run.budget.has_model else ChosenBackend(run.config, RULES)
    done = learn(run.config, head(run.config, item.path), read_seen(run.config, item.path), backend)
    return StepCounts(moved=1) if done else StepCounts(kept=1)


STEP = NightStep("learn", _plan, _apply)
