"""One settings file: read as TOML, and laid over what it may change; what is wrong is told with its line."""

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
    import tomllib  # a fifth of a start-up; a lint answered from the cache reads no TOML

    try:
        return tomllib.loads(data.decode("utf-8", "replace"))
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        raise ConfigError(str(error), path=path, line=int(line.group(1)) if line else 1) from error
    except RecursionError as error:
        raise ConfigError(
            "the values are nested too deeply", path=path, hint="no setting needs more than one list"
        ) from error


def lay_over(base: dict[str, Any], given: dict[str, Any], text: str, path: str, table: str = "") -> dict[str, Any]:
    """Lay given values over a table, whose keys are the valid ones and whose values have the valid types.

    Args:
        base: the values below.
        given: those on top.
        text: the TOML that they stand in.
        path: its file, for messages.
        table: the name of the table with a dot behind it; empty for the whole file.

    Raises:
        ConfigError: a key is unknown or of another type; says file, line and valid keys.
    """
    merged = dict(base)
    for key, value in given.items():
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
            merged[key] = lay_over(wanted, value, text, path, f"{key}.")
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
        merged[key] = value
    return merged


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(wanted, bool)
    if isinstance(wanted, float):
        return isinstance(value, int | float) and 0 <= value <= 1
    if isinstance(wanted, int):
        return isinstance(value, int) and value >= min(wanted, 1)  # 0 only where it is the shipped value
    if isinstance(wanted, list):
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return isinstance(value, type(wanted))


def line_of(text: str, key: str, table: str = "") -> int:
    """Return the line of a key, 1-based, where possible below the heading of its table; tomllib does not tell it."""
    heading = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", text, re.MULTILINE) if table else None
    begin = heading.end() if heading else 0
    pattern = re.compile(rf"^[ \t]*(?:\[[ \t]*)?[\"']?{re.escape(key)}[\"']?[ \t]*[=\].]", re.MULTILINE)
    found = pattern.search(text, begin) or pattern.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


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
    """Return what a settings file says that needs trust, table by table; raises ConfigError."""
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
