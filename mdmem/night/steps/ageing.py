"""The last step: old sessions and diaries, and old tool outputs that nothing cites, move to the archive."""

from __future__ import annotations

import datetime as dt
from fnmatch import fnmatchcase

from mdmem.artifacts.prune import old_artifacts
from mdmem.entries.access import KEEPER
from mdmem.errors import ConflictError
from mdmem.formats.paths import archived_path
from mdmem.messages.catalog import say
from mdmem.night.model import NightItem, StepCounts, StepPlan
from mdmem.night.run import NightRun, NightStep
from mdmem.sessions.prune import move_file, move_session, old_sessions
from mdmem.store.files import names_in

NAME = "ageing"
_DAILY = "daily"


def _plan(run: NightRun) -> StepPlan:
    config = run.config
    ready, waiting = old_sessions(config)
    paths = [one.path for one in ready] + _old_days(run)
    if config.settings.night.artifacts:
        paths += old_artifacts(config)
    return StepPlan(tuple(NightItem(path, path, 1, moved=1) for path in paths), StepCounts(kept=len(waiting)))


def _old_days(run: NightRun) -> list[str]:
    """Return the files of days that are older than `[night] daily_days`, oldest first."""
    template = run.config.schemas.get(_DAILY)
    found = []
    limit = run.now.date() - dt.timedelta(days=run.config.settings.night.daily_days)
    for glob in template.files if template else ():
        folder, _, pattern = glob.rpartition("/")
        for name in names_in(run.config.root, folder) if folder else ():
            day = _day(name) if fnmatchcase(name, pattern) else None
            if day and day < limit:
                found.append(f"{folder}/{name}")
    return sorted(found, key=lambda path: path.rpartition("/")[2])


def _day(name: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(name.rpartition(".")[0])
    except ValueError:
        return None


def _apply(run: NightRun, item: NightItem) -> StepCounts:
    config = run.config
    session = next((one for one in old_sessions(config)[0] if one.path == item.path), None)
    if session is not None:
        moved = move_session(config, session, KEEPER)
    else:
        reason = say(run.lang, "night.reason", step=say(run.lang, f"night.step-{NAME}"))
        moved = move_file(config, item.path, archived_path(item.path), KEEPER, reason)
    if not moved:
        raise ConflictError(say(run.lang, "night.not-moved", path=item.path), path=item.path)
    return StepCounts(moved=1)


STEP = NightStep(NAME, _plan, _apply)
