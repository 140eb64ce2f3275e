"""Step 2: extract the rounds that nobody has extracted, then write the episodes that are missing."""

from __future__ import annotations

import time
from contextlib import suppress

from mdmem.entries.model import Outcome
from mdmem.episodes.service import pending_episodes, write_episode
from mdmem.errors import MdmemError
from mdmem.extraction.job import read_extraction
from mdmem.generation.chosen_backend import AGENT, RULES, ChosenBackend
from mdmem.keeper.backlog import queue
from mdmem.keeper.backlog.status import changed_at
from mdmem.keeper.job_runner import EXTRACT, BackendChoice, JobRunner
from mdmem.keeper.session_extraction import extract_meanwhile, waiting_sessions
from mdmem.night.budget import BudgetSpent
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep


def _plan(run: NightRun) -> StepPlan:
    """Plan the sessions with rounds to extract, and those that ended or are idle without an episode."""
    asks = run.budget.has_model
    by_agent = run.budget.name == AGENT
    found = waiting_sessions(run.config, None)
    waiting = [path for path in found if read_extraction(run.config, path, whole=_is_idle(run, path))]
    paths = dict.fromkeys((*(() if by_agent else waiting), *reversed(pending_episodes(run.config))))
    items = tuple(NightItem(path, path, 1, moved=1, asks=asks) for path in paths if not (by_agent and path in waiting))
    return StepPlan(items, StepCounts(kept=len(waiting) if by_agent else 0))


def _is_idle(run: NightRun, path: str) -> bool:
    return time.time() - changed_at(run.config, path) >= run.config.settings.session.idle_seconds


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    """Extract a session, and write its episode if it has ended; without its facts it gets no episode."""
    config, path = run.config, item.path
    waits = path in pending_episodes(config)  # the mark of the extraction makes an idle session look busy
    backend = run.budget if run.budget.has_model else ChosenBackend(config, RULES)
    runner = JobRunner(config, BackendChoice(now=True, backend=backend))
    try:
        for done in runner.extractions([path], whole=_is_idle(run, path)):
            if done.status != "done":
                _by_rule(run, path)
                return _undone(done)
    except BudgetSpent:
        queue.clear_attempts(config, path, EXTRACT)  # nobody asks about it any more
        _by_rule(run, path)
        raise
    if waits:
        episode = write_episode(config, path, "night", backend=backend)
        if episode.status not in ("done", "unchanged"):
            return _undone(episode)
    return StepCounts(moved=1)


def _by_rule(run: NightRun, path: str) -> None:
    """Extract by rule what the model did not manage, as far as it can be read; the rounds go on waiting."""
    if run.budget.has_model:
        with suppress(MdmemError):
            extract_meanwhile(run.config, path, whole=_is_idle(run, path))


def _undone(outcome: Outcome) -> StepCounts:
    if outcome.status == "refused":
        return StepCounts(refused=1, reasons=(outcome.message,))
    return StepCounts(kept=1)


STEP = NightStep("extract", _plan, _apply)
