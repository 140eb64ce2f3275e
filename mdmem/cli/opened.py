"""The workspaces that a command has opened, usually one."""

from __future__ import annotations

import os
from shlex import quote
from typing import TYPE_CHECKING

from mdmem.cli.usage import usage_error
from mdmem.errors import WorkspaceNotFoundError

if TYPE_CHECKING:
    from mdmem import Workspace
    from mdmem.config.workspace_config import WorkspaceConfig

_configs: list[WorkspaceConfig] = []


def opened(config: WorkspaceConfig) -> None:
    """Note that a command has opened a workspace."""
    _configs.append(config)


def begin() -> None:
    """Begin a command: nothing is open."""
    _configs.clear()


def keep_settings() -> None:
    """Save the settings and templates that were read to the user's cache, so that the next command parses none."""
    for config in _configs:
        config.cache.save(complete=False)


def has_written() -> bool:
    """Return whether this command has changed a file of a workspace."""
    return any(config.writes for config in _configs)


def open_workspace(root: str | None, lang: str | None, user: str = "", *, start: str = ".") -> Workspace:
    """Open the workspace of `--root`, or the one found upwards from a folder, for the user of `--user`.

    Raises:
        WorkspaceNotFoundError: there is none.
    """
    from mdmem import Workspace

    named = folder(root) if root else ""
    try:
        work = Workspace(named, lang=lang, user=user) if named else Workspace.find(start, lang=lang, user=user)
    except WorkspaceNotFoundError as error:
        where = "" if start == "." else start
        raise usage_error("no-workspace", kind=WorkspaceNotFoundError, path=where, more="") from error
    opened(work.config)
    _ = work.config.whose  # a name that cannot be is told before anything is done
    return work


def folder(root: str) -> str:
    """Return the folder that `--root` names, or the current one.

    Raises:
        WorkspaceNotFoundError: there is no such folder.
    """
    if root and not os.path.isdir(root):
        raise usage_error("no-root", kind=WorkspaceNotFoundError, path=root, folder=quote(root))
    return root or "."
