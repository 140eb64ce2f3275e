"""The settings that belong to no memory file: `templates/mdmem.toml`, the user's over it, the workspace's on top.

The shipped file is the schema: its keys are the valid keys, the types of its values the valid types, and no default
lives in Python. The tables here only give the values names that a type checker knows; each is loaded when it is first
used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

_HOMES = {
    "ArtifactSettings": "files",
    "CommandSettings": "models",
    "KeeperSettings": "keeper",
    "Layer": "layers",
    "LintSettings": "lint",
    "OpenAISettings": "models",
    "RecallSettings": "recall",
    "SearchSettings": "recall",
    "Settings": "tables",
    "StoreSettings": "files",
    "TokensSettings": "models",
    "VectorSettings": "models",
    "WatchSettings": "files",
    "closed_settings": "layers",
    "line_of": "toml",
    "parse_toml": "toml",
    "read_settings": "layers",
}
__all__ = [*_HOMES]  # noqa: PLE0604 - the table holds texts


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a module attribute may be anything
    """Load a table, or what reads them, from its home."""
    from importlib import import_module

    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)
