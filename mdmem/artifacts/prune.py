"""Removes tool runs by age and size; cited runs stay, and the log names the removed ones (K025, K076)."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from mdmem.artifacts.read import newest_first, read_front
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.errors import WriteError
from mdmem.formats.artifact import FOLDER, artifact_id
from mdmem.linter.sources import all_memory_sources
from mdmem.messages.catalog import say
from mdmem.store.durable import sync
from mdmem.store.history.versions import PRUNE, Transaction, VersionStore, WrittenFile, new_id
from mdmem.store.root import Root
from mdmem.text.pattern import pattern

_POINTER = pattern(r"tool:[A-Za-z0-9][A-Za-z0-9._-]*|artifacts/[A-Za-z0-9._/-]+")
_PARTS = pattern(
    r"(?<=-[0-9a-v]{4})-(?:\d+|input|stderr(?:-\d+)?)\Z"
)  # further files of a run stay and go with its first file
_DATED = pattern(r"(\d{4})(\d\d)(\d\d)-\d{6}-")
_ANY_SIZE = 1 << 40  # bytes: pointers are honored in files of any size
_AT_ONCE = 500  # files in one entry of the log


PruneStatus: TypeAlias = Literal["done", "planned", "unchanged"]


@dataclass(frozen=True, slots=True)
class PruneResult:
    """The runs that were removed, or would be."""

    status: PruneStatus
    message: str
    hint: str
    gone: tuple[str, ...]  # ids, oldest first
    bytes: int


class _Run(NamedTuple):
    """A tool run on disk."""

    id: str
    path: str
    day: str  # YYYY-MM-DD
    bytes: int


def prune_artifacts(
    config: WorkspaceConfig, *, days: int | None, size: int | None, actor: str, dry_run: bool
) -> PruneResult:
    """Remove tool runs; see `Workspace.artifacts.prune`."""
    AccessPolicy(config, actor).reach(FOLDER)
    settings = config.settings.artifacts
    with Root(config.root) as root:
        runs = _runs(config, root)
        due = _due(runs, config.day, days or settings.keep_days, settings.keep_bytes if size is None else size)
        cited = _cited(config) if due else set()
        removed = [run for run in due if _PARTS.sub("", run.id) not in cited]
        if removed and not dry_run:
            _remove(config, root, removed, actor)
    cited_count = len(due) - len(removed)
    total = sum(run.bytes for run in removed)
    key = "artifact.none-pruned" if not removed else "artifact.would-prune" if dry_run else "artifact.pruned"
    status: PruneStatus = "unchanged" if not removed else "planned" if dry_run else "done"
    hint = say(config.lang, "artifact.held", count=cited_count) if cited_count else ""
    message = say(config.lang, key, count=len(removed), bytes=total)
    return PruneResult(status, message, hint, tuple(run.id for run in removed), total)


def old_artifacts(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the files of tool runs that nothing cites and older than `[artifacts] keep_days`, oldest first."""
    with Root(config.root) as root:
        due = _due(_runs(config, root), config.day, config.settings.artifacts.keep_days, _ANY_SIZE)
    cited = _cited(config) if due else set()
    return tuple(run.path for run in due if _PARTS.sub("", run.id) not in cited)


def _runs(config: WorkspaceConfig, root: Root) -> list[_Run]:
    """Return every tool run, newest first. Only files without a day in their name are opened."""
    found = []
    for path in newest_first(config, root):
        id = path.rpartition("/")[2][:-3]  # noqa: A001 - the noun
        name = root.place(path).name
        seen = os.stat(name.name, dir_fd=name.folder, follow_symlinks=False)
        dated = _DATED.match(id)
        front = None if dated else read_front(root, path)
        day = "-".join(dated.groups()) if dated else front.started[:10] if front else ""
        written = dt.datetime.fromtimestamp(seen.st_mtime).astimezone()
        found.append(_Run(id, path, day or f"{written:%Y-%m-%d}", seen.st_size))
    return sorted(found, key=lambda run: run.day, reverse=True)  # the sort is stable: within a day by name


def _due(runs: list[_Run], today: str, days: int, most: int) -> list[_Run]:
    """Return the runs that are too old or exceed the size limit, oldest first."""
    oldest = (dt.date.fromisoformat(today) - dt.timedelta(days=days)).isoformat()
    due, taken = [], 0
    for run in runs:
        taken += run.bytes
        if run.day < oldest or taken > most:
            due.append(run)
    return due[::-1]


def _cited(config: WorkspaceConfig) -> set[str]:
    """Return the ids that memory files cite, except files of the kinds in `ignored_citations`."""
    loose = config.settings.artifacts.ignored_citations
    found: set[str] = set()
    for source in all_memory_sources(config, max_bytes=_ANY_SIZE):
        template = config.schemas.match(source.path)
        text = source.seen.data.decode("utf-8", "replace")
        if template is None or template.kind not in loose:
            found |= {_PARTS.sub("", artifact_id(one.rstrip("."))) for one in _POINTER.findall(text)}
    return found


def _remove(config: WorkspaceConfig, root: Root, runs: Sequence[_Run], actor: str) -> None:
    """Remove files and log them with their digests; no version is kept."""
    history = VersionStore(root, config.settings.store.lock_seconds)
    for at in range(0, len(runs), _AT_ONCE):
        some = runs[at : at + _AT_ONCE]
        done = tuple(WrittenFile(run.path, _digest(root, run.path), None) for run in some)
        now = dt.datetime.now().astimezone()
        try:
            history.append(Transaction(new_id(now), now.isoformat(timespec="seconds"), actor, PRUNE, done))
            for run in some:
                name = root.place(run.path).name
                with suppress(FileNotFoundError):
                    os.unlink(name.name, dir_fd=name.folder)
            for folder in {run.path.rpartition("/")[0] for run in some}:
                sync(root.place(f"{folder}/_").name)
        except OSError as error:
            raise WriteError("could not be removed: {reason}", path=FOLDER, facts={"reason": error.strerror}) from error


def _digest(root: Root, path: str) -> str | None:
    front = read_front(root, path)
    return (front.digest or None) if front else None
