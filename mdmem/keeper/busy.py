"""Who says to be at work here: marks that end by themselves, so that no crash keeps the keeper off for ever.

A mark is a small file in `.mdmem/busy/`: until when it holds and, where a process stands behind it, which one. It
ends when it is taken back, when its time is over, or when its process is no more.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError, UsageError
from mdmem.store.durable import discard, write_new
from mdmem.store.root import Root, read
from mdmem.text.pattern import pattern

_FOLDER = ".mdmem/busy"
_NAME = pattern(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}\Z")
_MOST_BYTES = 1000


@dataclass(frozen=True, slots=True)
class BusyLease:
    """Somebody is busy until then (seconds since the epoch), while the process lives; 0: with no process behind it."""

    name: str
    until: float
    pid: int = 0
    host: str = ""


def write_lease(config: WorkspaceConfig, name: str, seconds: float, *, pid: int = 0) -> BusyLease:
    """Make a mark, in the place of an older one of its name.

    Raises:
        UsageError: the name is none.
        WriteError: the system refused.
    """
    mark = BusyLease(name, time.time() + seconds, pid, platform.node() if pid else "")
    with Root(config.root) as root:
        write_new(root.place(_path(name), make=True).name, json.dumps(asdict(mark)).encode(), _path(name))
    return mark


def release(config: WorkspaceConfig, name: str) -> None:
    """Take a mark back; there need not be one. Raises UsageError as `hold`."""
    path = _path(name)
    with Root(config.root) as root, suppress(FileNotFoundError):
        discard(root.place(path).name)


def active_leases(config: WorkspaceConfig) -> tuple[BusyLease, ...]:
    """Tell who is busy now; marks that have ended are cleared away."""
    with suppress(FileNotFoundError, NotADirectoryError):
        names = sorted(os.listdir(os.path.join(config.root, _FOLDER)))
        return tuple(mark for name in names if _NAME.match(name) and (mark := _standing(config, name)))
    return ()


@contextmanager
def busy_lease(config: WorkspaceConfig, seconds: float) -> Iterator[None]:
    """Be busy while the block runs, for at most so many seconds; see `Workspace.keeper.busy`."""
    name = f"{os.getpid()}-{os.urandom(4).hex()}"
    write_lease(config, name, seconds, pid=os.getpid())
    try:
        yield
    finally:
        with suppress(MdmemError):  # it ends by itself
            release(config, name)


def _standing(config: WorkspaceConfig, name: str) -> BusyLease | None:
    try:
        with Root(config.root) as root:
            version = read(root.place(_path(name)), _MOST_BYTES)
        values = json.loads(version.data if version else b"")
        mark = BusyLease(name, float(values["until"]), int(values["pid"]), str(values["host"]))
    except (MdmemError, FileNotFoundError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        mark = BusyLease(name, 0)
    if mark.until > time.time() and not _dead(mark):
        return mark
    release(config, name)
    return None


def _dead(mark: BusyLease) -> bool:
    """Return whether the process behind a mark is no more; of another machine's nobody can tell."""
    if not mark.pid or mark.host != platform.node() or os.name == "nt":
        return False
    try:
        os.kill(mark.pid, 0)
    except PermissionError:
        return False
    except (ProcessLookupError, OverflowError):
        return True
    return False


def _path(name: str) -> str:
    if not _NAME.match(name):
        raise UsageError("a busy mark is named by one word", hint="letters, digits, `-`, `_` and `.`")
    return f"{_FOLDER}/{name}"
