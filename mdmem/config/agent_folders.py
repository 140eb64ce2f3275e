"""The folders of agents: where an agent's own files are, and which agents have such a folder (D030)."""

from __future__ import annotations

import os
from contextlib import suppress

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import UsageError
from mdmem.formats.paths import is_owner_name
from mdmem.messages.catalog import say

AGENT_FOLDERS = ("agents", ".notes")  # the first existing one is used, or else the first


def agent_folder(config: WorkspaceConfig, agent: str) -> str:
    """Return the folder of an agent's own files, which need not exist yet.

    Raises:
        UsageError: the agent's name cannot be the name of a folder.
    """
    if not is_owner_name(agent):
        raise UsageError(say(config.lang, "plan.agent"))
    folders = (one for one in AGENT_FOLDERS if os.path.isdir(os.path.join(config.root, one, agent)))
    return f"{next(folders, AGENT_FOLDERS[0])}/{agent}"


def agent_file(config: WorkspaceConfig, agent: str | None, file: str) -> str:
    """Return the path of a file: an agent's own, or without an agent the workspace's; raises UsageError."""
    return f"{agent_folder(config, agent)}/{file}" if agent else file


def agents_with_folders(config: WorkspaceConfig) -> tuple[str, ...]:
    """Return the names of the agents that have a folder of their own, sorted."""
    found: set[str] = set()
    for folder in (one for name in AGENT_FOLDERS for one in dict.fromkeys((name, config.whose.place(name)))):
        with suppress(OSError), os.scandir(os.path.join(config.root, folder)) as entries:
            found |= {one.name for one in entries if is_owner_name(one.name) and one.is_dir(follow_symlinks=False)}
    return tuple(sorted(found))
