"""Busy leases: small files in `.mdmem/busy/` that make the keeper wait.

A lease holds the time at which it ends and the process that it belongs to, if any. It ends when it is released, when
its time is over, or when its process has exited, so a crash cannot block the keeper for good.
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
    """A claim that somebody is at work in the workspace."""

    name: str
    until: float  # seconds since the epoch
    pid: int = 0  # the lease ends with this process; 0 for no process
    host: str = ""  # the machine of the process; empty for no process


def write_lease(config: WorkspaceConfig, name: str, seconds: float, *, pid: int = 0) -> BusyLease:
    """Write a lease of so many seconds; it replaces an older one of the same name.

    Raises:
        UsageError: the name is not one word.
        WriteError: the system refused.
    """
    lease = BusyLease(name, time.time() + seconds, pid, platform.node() if pid else "")
    with Root(config.root) as root:
        write_new(root.place(_path(name), make=True).name, json.dumps(asdict(lease)).encode(), _path(name))
    return lease


def release(config: WorkspaceConfig, name: str) -> None:
    """End a lease; do nothing if there is none.

    Raises:
        UsageError: the name is not one word.
    """
    path = _path(name)
    with Root(config.root) as root, suppress(FileNotFoundError):
        discard(root.place(path).name)


def active_leases(config: WorkspaceConfig) -> tuple[BusyLease, ...]:
    """Return the leases that hold now, and delete those that have ended."""
    with suppress(FileNotFoundError, NotADirectoryError):
        names = sorted(os.listdir(os.path.join(config.root, _FOLDER)))
        return tuple(lease for name in names if _NAME.match(name) and (lease := _active_lease(config, name)))
    return ()


@contextmanager
def busy_lease(config: WorkspaceConfig, seconds: float) -> Iterator[None]:
    """Hold a lease while the block runs, for at most so many seconds; see `Workspace.keeper.busy`."""
    name = f"{os.getpid()}-{os.urandom(4).hex()}"
    write_lease(config, name, seconds, pid=os.getpid())
    try:
        yield
    finally:
        with suppress(MdmemError):  # it ends by itself
            release(config, name)


def _active_lease(config: WorkspaceConfig, name: str) -> BusyLease | None:
    """Read a lease; return None and delete it if it has ended or cannot be read."""
    try:
        with Root(config.root) as root:
            version = read(root.place(_path(name)), _MOST_BYTES)
        values = json.loads(version.data if version else b"")
        lease = BusyLease(name, float(values["until"]), int(values["pid"]), str(values["host"]))
    except (MdmemError, FileNotFoundError, ValueError, LookupError, TypeError, OverflowError, RecursionError):
        lease = BusyLease(name, 0)
    if lease.until > time.time() and not has_exited(lease):
        return lease
    release(config, name)
    return None


def has_exited(lease: BusyLease) -> bool:
    """Return whether the process of a lease has exited; leases of other hosts and on Windows never count as dead."""
    if not lease.pid or lease.host != platform.node() or os.name == "nt":
        return False
    try:
        os.kill(lease.pid, 0)
    except PermissionError:
        return False
    except (ProcessLookupError, OverflowError):
        return True
    return False


def _path(name: str) -> str:
    if not _NAME.match(name):
        raise UsageError("the name of a busy mark must be one word", hint="letters, digits, `-`, `_` and `.`")
    return f"{_FOLDER}/{name}"
