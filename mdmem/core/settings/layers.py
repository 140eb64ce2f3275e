"""Settings files laid over the shipped one, the last on top; what needs trust is heard from whom the user trusts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mdmem.core.record import NamedTuple
from mdmem.core.settings.tables import Settings
from mdmem.core.settings.toml import lay_over, parse_toml

# What runs a program or sends text away: not for a workspace to set, which may be somebody else's, without trust.
_CLOSED = ("command", "openai", "vectors")  # whole tables
_CHOOSES = ("keeper", "backend")  # the key that chooses between them
_RECIPES = ("recipe", "part", "marker")  # tables of the packer: `context.recipe` reads and checks them


class Layer(NamedTuple):
    """A settings file that lies over those before it; one that is not trusted may not set what is closed."""

    data: bytes
    path: str  # in messages
    trusted: bool


def read_settings(shipped: bytes, layers: Sequence[Layer] = ()) -> Settings:
    """Lay settings over the shipped ones, the last on top.

    Raises:
        ConfigError: the TOML is broken, a key is unknown or of another type; says file, line and valid keys.
    """
    values = base = parse_toml(shipped, "")
    for layer in layers:
        given = {key: value for key, value in parse_toml(layer.data, layer.path).items() if key not in _RECIPES}
        text = layer.data.decode("utf-8", "replace")
        lay_over(base, given, text, layer.path)  # what is not heard must be right all the same
        values = lay_over(values, given if layer.trusted else open_settings(given), text, layer.path)
    return Settings(values)


def closed_settings(data: bytes, path: str) -> dict[str, Any]:
    """Give what a settings file says that needs trust, table by table; raises ConfigError."""
    given = parse_toml(data, path)
    heard = open_settings(given)
    return {key: value for key, value in given.items() if heard.get(key) != value}


def open_settings(given: dict[str, Any]) -> dict[str, Any]:
    """Return what a settings file may say without trust."""
    heard = {key: value for key, value in given.items() if key not in _CLOSED}
    table, key = _CHOOSES
    chosen = heard.get(table)
    if isinstance(chosen, dict) and chosen.get(key) in _CLOSED:
        heard[table] = {name: value for name, value in chosen.items() if name != key}
    return heard
