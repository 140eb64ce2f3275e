"""Letting evidence go by age and size; what a memory points at stays, and the log names what went (K025, K076)."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Iterable
from typing import NamedTuple

from mdmem.core.artifact import FOLDER, Artifact, artifact_id
from mdmem.core.document import parse
from mdmem.core.pattern import pattern
from mdmem.errors import WriteError
from mdmem.store.atomic import sync
from mdmem.store.history import History
from mdmem.store.record import PRUNE, Transaction, Written, new_id
from mdmem.store.root import Root
from mdmem.workspace.access import Access
from mdmem.workspace.artifacts.listing import newest_first, read_front
from mdmem.workspace.artifacts.words import say
from mdmem.workspace.config import Config
from mdmem.workspace.source import found_sources

_POINTER = pattern(r"tool:[A-Za-z0-9][A-Za-z0-9._-]*|artifacts/[A-Za-z0-9._/-]+")
_PARTS = pattern(r"-(?:\d+|input)\Z")  # further files of one run stay and go with its first
_AT_ONCE = 500  # files that one line of the log names


class Pruned(NamedTuple):
    """What went, or would go."""

    status: str  # done, planned, unchanged
    message: str
    hint: str
    gone: tuple[Artifact, ...]  # oldest first
    bytes: int


class _Run(NamedTuple):
    """A file on disk."""

    artifact: Artifact
    day: str  # YYYY-MM-DD
    bytes: int


def prune(config: Config, *, days: int | None, size: int | None, actor: str, dry_run: bool) -> Pruned:
    """Take tool runs away; see `Workspace.artifact_prune`."""
    Access(config, actor).reach(FOLDER)
    settings = config.settings.artifacts
    with Root(config.root) as root:
        runs = _runs(root)
        due = _due(runs, config.day, days or settings.keep_days, settings.keep_bytes if size is None else size)
        cited = _cited(config) if due else set()
        gone = [run for run in due if _PARTS.sub("", run.artifact.id) not in cited]
        if gone and not dry_run:
            _remove(config, root, gone, actor)
    held = len(due) - len(gone)
    total = sum(run.bytes for run in gone)
    key = "none-pruned" if not gone else "would-prune" if dry_run else "pruned"
    status = "unchanged" if not gone else "planned" if dry_run else "done"
    hint = say(config.lang, "held", count=held) if held else ""
    message = say(config.lang, key, count=len(gone), bytes=total)
    return Pruned(status, message, hint, tuple(run.artifact for run in gone), total)


def _runs(root: Root) -> list[_Run]:
    """Give every tool run, newest first."""
    found = []
    for path in newest_first(root):
        artifact = read_front(root, path)
        name = root.place(path).name
        if artifact:
            seen = os.stat(name.name, dir_fd=name.folder, follow_symlinks=False)
            day = artifact.started[:10] or f"{dt.datetime.fromtimestamp(seen.st_mtime).astimezone():%Y-%m-%d}"
            found.append(_Run(artifact, day, seen.st_size))
    return sorted(found, key=lambda run: (run.day, run.artifact.started), reverse=True)


def _due(runs: list[_Run], today: str, days: int, most: int) -> list[_Run]:
    """Choose what is too old, and what there is no more room for; oldest first."""
    oldest = (dt.date.fromisoformat(today) - dt.timedelta(days=days)).isoformat()
    due, taken = [], 0
    for run in runs:
        taken += run.bytes
        if run.day < oldest or taken > most:
            due.append(run)
    return due[::-1]


def _cited(config: Config) -> set[str]:
    """Give the ids that memory files point at, but for files of the kinds in `let_go`, and evidence itself."""
    loose = {*config.settings.artifacts.let_go, "artifact"}
    found: set[str] = set()
    for source in found_sources(config, (), config.settings.lint):
        text = source.seen.data.decode("utf-8", "replace")
        if source.path.startswith(f"{FOLDER}/") or ("tool:" not in text and f"{FOLDER}/" not in text):
            continue
        template = config.schemas.match(source.path, parse(source.seen.data))
        if template is None or template.kind not in loose:
            found |= {_PARTS.sub("", artifact_id(one.rstrip("."))) for one in _POINTER.findall(text)}
    return found


def _remove(config: Config, root: Root, gone: Iterable[_Run], actor: str) -> None:
    """Take files away, and name them in the log of changes with their digests; there is no version to bring back."""
    history = History(root, config.settings.store.lock_seconds)
    waiting = list(gone)
    while waiting:
        some, waiting = waiting[:_AT_ONCE], waiting[_AT_ONCE:]
        done = [Written(run.artifact.path, run.artifact.digest or None, None) for run in some]
        now = dt.datetime.now().astimezone()
        history.append(Transaction(new_id(now), now.isoformat(timespec="seconds"), actor, PRUNE, tuple(done)))
        try:
            for run in some:
                name = root.place(run.artifact.path).name
                os.unlink(name.name, dir_fd=name.folder)
                sync(name)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise WriteError(f"could not be removed: {error.strerror}", path=FOLDER) from error
