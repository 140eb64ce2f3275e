"""Parses settings files, validates them, and merges them over the shipped settings; errors name the line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from mdmem.errors import ConfigError
from mdmem.messages.folders import languages
from mdmem.settings.tables import Settings
from mdmem.text.edit import SEVERITIES

_CHOICES: dict[str, tuple[str, ...]] = {
    "lang": (*languages(), "auto"),
    "lint.fail_on": SEVERITIES,
    "memory.review": ("write", "propose", "off"),
    "memory.forget": ("agent", "ask"),
    "keeper.backend": ("rules", "command", "openai", "agent"),
    "vectors.backend": ("none", "local", "openai"),
    "tokens.counter": ("estimate", "o200k_base", "cl100k_base", "qwen3.5"),
}
_KINDS = {
    bool: "true or false",
    int: "a whole number above 0",
    float: "a share between 0 and 1",
    str: "a text",
    list: "a list of texts",
    dict: "a table",
}


def parse_toml(data: bytes, path: str) -> dict[str, Any]:
    """Parse TOML; raises ConfigError with the line."""
    import tomllib  # takes a fifth of a start-up; a lint answered from the cache does not need it

    try:
        return tomllib.loads(data.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise ConfigError(str(error), path=path, line=int(line.group(1)) if line else 1) from error
    except RecursionError as error:
        raise ConfigError(
            "the values are nested too deeply", path=path, hint="no setting needs more than one list"
        ) from error


def merged(base: dict[str, Any], override: dict[str, Any], text: str, path: str, table: str = "") -> dict[str, Any]:
    """Return a table with some values overridden; the table defines the valid keys and types.

    Args:
        base: the table.
        override: the values to set.
        text: the TOML that contains them.
        path: its file, for messages.
        table: the name of the table with a trailing dot; empty for the whole file.

    Raises:
        ConfigError: a key is unknown or its value has the wrong type; names file, line and valid keys.
    """
    result = dict(base)
    for key, value in override.items():
        line = line_of(text, key, table.removesuffix("."))
        if key not in base:
            valid = ", ".join(sorted(base))
            raise ConfigError(
                "unknown key `{table}{key}`",
                path=path,
                line=line,
                hint="valid keys: {valid}",
                facts={"table": table, "key": key, "valid": valid},
            )
        wanted = base[key]
        if isinstance(wanted, dict) and isinstance(value, dict):
            result[key] = merged(wanted, value, text, path, f"{key}.")
            continue
        if not _fits(value, wanted):
            raise ConfigError(
                "`{table}{key}` must be {kind}",
                path=path,
                line=line,
                facts={"table": table, "key": key, "kind": _KINDS[type(wanted)]},
            )
        if value not in (choices := _CHOICES.get(f"{table}{key}", (value,))):
            raise ConfigError(
                "`{table}{key}` must be one of: {names}",
                path=path,
                line=line,
                facts={"table": table, "key": key, "names": ", ".join(choices)},
            )
        result[key] = value
    return result


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(wanted, bool)
    if isinstance(wanted, float):
        return isinstance(value, int | float) and 0 <= value <= 1
    if isinstance(wanted, int):
        return isinstance(value, int) and value >= min(wanted, 1)  # 0 only if it is the shipped value
    if isinstance(wanted, list):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, type(wanted))


def line_of(text: str, key: str, table: str = "") -> int:
    """Return the 1-based line of a key, if possible below the heading of its table; tomllib does not report it."""
    heading = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", text, re.MULTILINE) if table else None
    begin = heading.end() if heading else 0
    pattern = re.compile(rf"^[ \t]*(?:\[[ \t]*)?[\"']?{re.escape(key)}[\"']?[ \t]*[=\].]", re.MULTILINE)
    found = pattern.search(text, begin) or pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


# Settings that run a program or send text away need trust in a workspace, which may be somebody else's.
_CLOSED = ("command", "openai", "vectors")  # whole tables
_BACKEND_KEY = ("keeper", "backend")  # the key that chooses between them
_RECIPES = ("recipe", "part", "marker")  # tables of the packer: `context.recipe` reads and checks them


class Layer(NamedTuple):
    """A settings file that overrides those before it; an untrusted one cannot set what needs trust."""

    data: bytes
    path: str  # for messages
    trusted: bool


def read_settings(shipped: bytes, layers: Sequence[Layer] = ()) -> Settings:
    """Return the shipped settings, overridden by the layers in order.

    Raises:
        ConfigError: the TOML is broken, a key is unknown, or its value has the wrong type; names file, line and valid
            keys.
    """
    values = base = parse_toml(shipped, "")
    for layer in layers:
        override = {key: value for key, value in parse_toml(layer.data, layer.path).items() if key not in _RECIPES}
        text = layer.data.decode("utf-8", "replace")
        merged(base, override, text, layer.path)  # ignored settings must be valid too
        values = merged(values, override if layer.trusted else open_settings(override), text, layer.path)
    return Settings(values)


def closed_settings(data: bytes, path: str) -> dict[str, Any]:
    """Return the settings of a file that need trust, by table; raises ConfigError."""
    found = parse_toml(data, path)
    applied = open_settings(found)
    return {key: value for key, value in found.items() if applied.get(key) != value}


def open_settings(found: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a file that need no trust."""
    applied = {key: value for key, value in found.items() if key not in _CLOSED}
    table, key = _BACKEND_KEY
    chosen = applied.get(table)
    if isinstance(chosen, dict) and chosen.get(key) in _CLOSED:
        applied[table] = {name: value for name, value in chosen.items() if name != key}
    return applied
