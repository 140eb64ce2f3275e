"""Find the task plan: the workspace's, or an agent's own."""

from __future__ import annotations

import os

from mdmem.config.agent_folders import agent_file
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.formats.paths import is_owner_name
from mdmem.formats.task_plan import KIND
from mdmem.formats.template import Template


def task_path(config: WorkspaceConfig, agent: str | None) -> str:
    """Return the path of a task's file: the workspace's, or an agent's own (D030).

    Raises:
        UsageError: the agent's name is invalid.
    """
    return agent_file(config, agent, task_template(config).files[0])


def plan_path(config: WorkspaceConfig, agent: str) -> str:
    """Return the plan that an agent works on: its own if there is one, else the workspace's."""
    shared = task_path(config, None)
    if not is_owner_name(agent):
        return shared
    own = task_path(config, agent)
    return own if os.path.isfile(os.path.join(config.root, own)) else shared


def task_template(config: WorkspaceConfig) -> Template:
    """Return the template of a task's file.

    Raises:
        ConfigError: there is none.
    """
    return config.schemas.required(KIND)
