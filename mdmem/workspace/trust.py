"""The journey of trust: what a workspace's settings would run or send away, and the user's yes to it."""

from __future__ import annotations

from typing import Any

from mdmem.core.record import NamedTuple
from mdmem.core.settings.layers import closed_settings
from mdmem.store import trust as marks
from mdmem.store.walk import SETTINGS_FILE
from mdmem.workspace.config import Config


class Asked(NamedTuple):
    """What needs trust in a workspace's mdmem.toml, table by table, and whether it has it."""

    tables: dict[str, Any]
    trusted: bool


def asked(config: Config) -> Asked:
    """Tell what the workspace's settings ask for; raises ConfigError."""
    tables = closed_settings(config.own_settings, SETTINGS_FILE) if config.own_settings is not None else {}
    if config.schemas.kinds and config.loosened:  # the schemas note it when they are read
        tables["templates"] = config.loosened
    trusted = config.asks_trust is not None and marks.is_trusted(config.root, config.asks_trust)
    return Asked(tables, trusted)


def trust(config: Config, *, revoke: bool) -> Asked:
    """Trust the settings as they are now, or take that back; see `Workspace.trust`."""
    if config.asks_trust is not None:
        (marks.distrust if revoke else marks.trust)(config.root, config.asks_trust)
    return asked(config)
