"""The settings that belong to no memory file: `templates/mdmem.toml`, the user's over it, the workspace's on top.

The shipped file is the schema: its keys are the valid keys, the types of its values the valid types, and no default
lives in Python. The tables here only give the values names that a type checker knows.
"""

from __future__ import annotations

from mdmem.core.settings.files import ArtifactSettings as ArtifactSettings
from mdmem.core.settings.files import StoreSettings as StoreSettings
from mdmem.core.settings.files import WatchSettings as WatchSettings
from mdmem.core.settings.keeper import KeeperSettings as KeeperSettings
from mdmem.core.settings.layers import Layer as Layer
from mdmem.core.settings.layers import closed_settings as closed_settings
from mdmem.core.settings.layers import read_settings as read_settings
from mdmem.core.settings.lint import LintSettings as LintSettings
from mdmem.core.settings.models import CommandSettings as CommandSettings
from mdmem.core.settings.models import OpenAISettings as OpenAISettings
from mdmem.core.settings.models import TokensSettings as TokensSettings
from mdmem.core.settings.models import VectorSettings as VectorSettings
from mdmem.core.settings.recall import RecallSettings as RecallSettings
from mdmem.core.settings.recall import SearchSettings as SearchSettings
from mdmem.core.settings.tables import Settings as Settings
from mdmem.core.settings.toml import line_of as line_of
from mdmem.core.settings.toml import parse_toml as parse_toml

__all__ = [
    "ArtifactSettings", "CommandSettings", "KeeperSettings", "Layer", "LintSettings", "OpenAISettings",
    "RecallSettings", "SearchSettings", "Settings", "StoreSettings", "TokensSettings", "VectorSettings",
    "WatchSettings", "closed_settings", "line_of", "parse_toml", "read_settings",
]  # fmt: skip
