"""The workspaces that a command has opened, usually one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
    return any(config.has_written for config in _configs)
