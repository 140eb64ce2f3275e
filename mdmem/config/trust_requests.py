"""What needs trust in a workspace's settings, and the user's answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mdmem.config import trust as trust_store
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.settings.reader import closed_settings
from mdmem.store.walk import SETTINGS_FILE


@dataclass(frozen=True, slots=True)
class TrustRequest:
    """What needs trust in a workspace's mdmem.toml, table by table, and whether it has it."""

    tables: dict[str, Any]
    trusted: bool


def trust_requests(config: WorkspaceConfig) -> TrustRequest:
    """Return what the workspace's settings need trust for; raises ConfigError."""
    tables = closed_settings(config.own_settings, SETTINGS_FILE) if config.own_settings is not None else {}
    if config.schemas.kinds and config.loosened:  # the schemas note it when they are read
        tables["templates"] = config.loosened
    trusted = config.asks_trust is not None and trust_store.is_trusted(config.root, config.asks_trust)
    return TrustRequest(tables, trusted)


def trust_workspace(config: WorkspaceConfig, *, revoke: bool) -> TrustRequest:
    """Trust the settings as they are now, or take that back; see `Workspace.trust`."""
    if config.asks_trust is not None:
        (trust_store.revoke_trust if revoke else trust_store.trust)(config.root, config.asks_trust)
    return trust_requests(config)
