"""Moves old sessions to the archive: ended or idle ones whose memories were extracted (K025, K076)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.errors import UsageError
from mdmem.formats.paths import within_user
from mdmem.formats.session import FOLDERS, Session
from mdmem.messages.catalog import say
from mdmem.sessions.file_names import ARCHIVED
from mdmem.sessions.read import head, is_over, last_change, last_round, paths
from mdmem.settings.durations import read_duration
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.edit import Edit


@dataclass(frozen=True, slots=True)
class PrunedSessions:
    """The sessions that were moved to the archive, or would be."""

    status: Literal["done", "planned", "unchanged"]
    message: str
    hint: str
    moved: tuple[str, ...]  # ids, oldest first
    waiting: tuple[str, ...]  # ids of old sessions that stay: not all of their rounds were extracted


def prune_sessions(config: WorkspaceConfig, *, older: str | None, actor: str, dry_run: bool) -> PrunedSessions:
    """Move sessions; see `Workspace.sessions.prune`."""
    AccessPolicy(config, actor).reach(FOLDERS[0])
    moved, waiting = old_sessions(config, older)
    if not dry_run:
        moved = [one for one in moved if move_session(config, one, actor)]
    lang = config.lang
    if not moved:
        message = say(lang, "session.none-pruned")
    elif dry_run:
        message = say(lang, "session.would-prune", count=len(moved), folder=ARCHIVED)
    else:
        message = say(lang, "session.pruned", count=len(moved), folder=ARCHIVED)
    hint = say(lang, "session.not-extracted", count=len(waiting)) if waiting else ""
    status: Literal["done", "planned", "unchanged"] = "unchanged" if not moved else "planned" if dry_run else "done"
    return PrunedSessions(status, message, hint, tuple(one.id for one in moved), tuple(one.id for one in waiting))


def old_sessions(config: WorkspaceConfig, older: str | None = None) -> tuple[list[Session], list[Session]]:
    """Return the old sessions that can move, and those that wait for an extraction, both oldest first."""
    limit = _limit(config, older)
    old = [one for one in _over(config) if _end_day(config, one) <= limit.isoformat()]
    rest = {one.path: last_round(config, one.path) > one.extracted_through for one in old}
    return [one for one in old if not rest[one.path]], [one for one in old if rest[one.path]]


def move_session(config: WorkspaceConfig, session: Session, actor: str) -> bool:
    """Move one session to the archive as one change; False if the archive has a file of that name."""
    target = config.whose.place(_archived(session))
    return move_file(config, session.path, target, actor, say(config.lang, "session.reason-prune"))


def _archived(session: Session) -> str:
    return f"{ARCHIVED}/{session.path.rpartition('/')[2]}"


def _limit(config: WorkspaceConfig, older: str | None) -> dt.date:
    """Return the day on which, or before which, a session must have ended."""
    today = config.today
    if older is None:
        return today - dt.timedelta(days=config.settings.session.prune_days)
    duration = read_duration(older)
    if duration is None or duration.sessions or not (duration.days or duration.months):
        raise UsageError(say(config.lang, "session.age", age=older), hint=say(config.lang, "session.age.hint"))
    try:
        return today - ((duration.end(today) or today) - today)
    except OverflowError:
        return dt.date.min


def _over(config: WorkspaceConfig) -> Iterator[Session]:
    """Yield the sessions of the workspace's own folder that have ended or are idle, oldest first."""
    for path in reversed(list(paths(config))):
        if within_user(path).startswith(f"{FOLDERS[0]}/") and is_over(config, found := head(config, path)):
            yield found


def _end_day(config: WorkspaceConfig, session: Session) -> str:
    """Return the day on which a session ended, or on which its file was written last."""
    return session.ended[:10] or last_change(config, session.path).date().isoformat()


def move_file(config: WorkspaceConfig, path: str, new: str, actor: str, reason: str) -> bool:
    """Move a file unchanged as one change; False if it is gone, or the new place has a file of that name."""

    def change(files: DraftFiles) -> Edits:
        document = files[path]
        if document is None or files[new] is not None:
            return {}
        return {path: None, new: (Edit.insert(0, document.text),)}

    return config.pen().commit(change, actor=actor, reason=reason, paths=(path, new)) is not None
