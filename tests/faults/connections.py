"""The jobs that write into files of other programs: the settings of an agent, and its file of instructions."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from commands import Ack
from parsed_once import parse_once

from mdmem.agents.connect.service import Connector
from mdmem.workspace import Workspace


def connect(root: str, ack: Ack) -> None:
    """Enter hooks, server and plugin of Claude Code, and a block in AGENTS.md."""
    work = _opened(root)
    Connector(work).connect("claude")
    work.instructions.connect("codex", os.path.join(root, "home", "project", "AGENTS.md"))
    ack("done")


def disconnect(root: str, ack: Ack) -> None:
    """Take all of it out."""
    work = _opened(root)
    work.instructions.remove(os.path.join(root, "home", "project", "AGENTS.md"))
    Connector(work).disconnect("claude")
    ack("done")


def warm_up() -> None:
    """Import and parse what the jobs need."""
    parse_once(setattr)
    with tempfile.TemporaryDirectory() as root:
        for name in ("home/project", "memory"):
            Path(root, name).mkdir(parents=True)
        connect(root, lambda _: None)
        disconnect(root, lambda _: None)


def _opened(root: str) -> Workspace:
    os.environ.update(HOME=os.path.join(root, "home"), XDG_STATE_HOME=os.path.join(root, "home", ".local", "state"))
    return Workspace(os.path.join(root, "memory"), lang="en")
