"""The result of a sync, what is kept of the last one, and where a memory and its remote stand."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.git.checkout import find_checkout
from mdmem.store.durable import write_new
from mdmem.store.files import read_json
from mdmem.store.git.program import run
from mdmem.store.root import Root
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.edit import Diagnostic

STATE = f"{STATE_FOLDER}/sync.json"
_MOST_BYTES = 100_000
# same: on both sides; conflicts: the same, and collisions wait in the inbox; kept: committed and not pushed, as asked;
# stopped: committed and not pushed, because of findings or of files that are no memory
SyncStatus: TypeAlias = Literal["same", "conflicts", "kept", "stopped", "planned"]


@dataclass(frozen=True, slots=True)
class SyncResult:
    """What a sync did, or would do."""

    status: SyncStatus
    message: str
    hint: str
    sent: tuple[str, ...] = ()  # files that were committed here
    taken: tuple[str, ...] = ()  # files that the remote's commits changed here
    waiting: int = 0  # collisions in the inbox
    findings: tuple[Diagnostic, ...] = ()  # errors that stop the push


class BegunMerge(NamedTuple):
    """A merge whose files the pen is writing: with this note, a sync that was killed is finished by the next one."""

    ours: str  # commits
    theirs: str
    tree: str
    transaction: str  # of the log, in which the files are written


class SyncRecord(NamedTuple):
    """What the state folder keeps of the last sync."""

    time: float = 0  # in which both sides were compared last; 0 for never
    through: str = ""  # the newest transaction of the log that a commit knows
    trouble: str = ""  # the sentence of what stood in the way last time
    merge: BegunMerge | None = None


@dataclass(frozen=True, slots=True)
class SyncState:
    """Where a memory and its remote stand, without asking the remote."""

    remote: str
    ahead: int  # commits that the remote lacks
    behind: int  # commits that were fetched and not taken in
    time: str  # of the last sync, ISO 8601; empty for never
    trouble: str  # what stands in the way; empty for nothing


def read_record(config: WorkspaceConfig) -> SyncRecord:
    """Return what is known of the last sync."""
    values = read_json(config.root, STATE, _MOST_BYTES)
    when, through, trouble, merge = (values.get(name) for name in SyncRecord._fields)
    is_merge = isinstance(merge, list) and len(merge) == len(BegunMerge._fields)
    return SyncRecord(
        float(when) if isinstance(when, int | float) else 0,
        through if isinstance(through, str) else "",
        trouble if isinstance(trouble, str) else "",
        BegunMerge(*map(str, merge)) if is_merge and isinstance(merge, list) else None,
    )


def write_record(config: WorkspaceConfig, record: SyncRecord) -> None:
    """Keep what is known of a sync; raises WriteError."""
    with Root(config.root) as root:
        place = root.place(STATE, make=True)
        write_new(place.name, json.dumps(record._asdict(), ensure_ascii=False).encode(), STATE)


def sync_state(config: WorkspaceConfig) -> SyncState | None:
    """Return where a memory and its remote stand; None for a memory that was never synced.

    Only git's own files are read; the remote is not asked.
    """
    record = read_record(config)
    if record == SyncRecord():
        return None
    when = dt.datetime.fromtimestamp(record.time).astimezone().isoformat(timespec="seconds") if record.time else ""
    try:
        at = find_checkout(config)
    except MdmemError as error:
        return SyncState("", 0, 0, when, error.message)
    theirs = run(at.top, "rev-parse", "-q", "--verify", at.tracking, accept=(0, 1)).line
    ahead, behind = counted(at.top, at.head, theirs)
    return SyncState(at.remote, ahead, behind, when, record.trouble)


def counted(top: str, ours: str, theirs: str) -> tuple[int, int]:
    """Return how many commits one side has that the other lacks, and the other way round; all, without another."""
    sides = f"{ours}...{theirs}" if theirs else ours
    shown = run(top, "rev-list", "--count", *(["--left-right"] if theirs else []), sides, "--").line.split()
    ahead, behind, *_ = [*map(int, shown), 0]
    return ahead, behind
