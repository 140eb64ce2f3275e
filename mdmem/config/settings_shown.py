"""Which settings hold in a workspace, and in which file and line each is set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mdmem.config.trust import USER_SETTINGS
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.messages.folders import templates_folder
from mdmem.settings.reader import line_of, open_settings, parse_toml
from mdmem.store.files import read_bytes
from mdmem.store.walk import SETTINGS_FILE


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key with the table before it, its value, and where it is set."""

    key: str
    value: Any
    path: str  # empty for a shipped value
    line: int
    ignored: bool = False  # it needs trust that the user has not given


def settings(config: WorkspaceConfig, *, every: bool) -> tuple[Setting, ...]:
    """Return the settings that differ from the shipped ones, or all of them, in the order of the shipped file.

    Raises:
        ConfigError: a settings file is wrong.
    """
    shipped = read_bytes(os.path.join(templates_folder(), SETTINGS_FILE), SETTINGS_FILE)
    found = {one.key: one for one in _read(shipped, "")}
    order = {key: at for at, key in enumerate(found)}
    _ = config.settings  # a wrong file is told, with its line
    refused: list[Setting] = []
    for data, path, trusted in (
        (config.user_settings, USER_SETTINGS, True),
        (config.own_settings, SETTINGS_FILE, config.trusted),
    ):
        given = parse_toml(data or b"", path)
        heard = {one.key for one in _below(given if trusted else open_settings(given), "", "", "")}
        for one in _read(data or b"", path):
            if one.key not in heard:
                refused.append(replace(one, ignored=True))
            elif every or one.value != (found[one.key].value if one.key in found else None):
                found[one.key] = one
    told = [one for one in found.values() if every or one.path]
    return tuple(sorted([*told, *refused], key=lambda one: order.get(one.key, len(order))))


def _read(data: bytes, path: str) -> Iterator[Setting]:
    """Read the settings of one file, with their lines."""
    text = data.decode("utf-8", "replace")
    yield from _below(parse_toml(data, path), text, path, "")


def _below(values: dict[str, Any], text: str, path: str, table: str) -> Iterator[Setting]:
    for key, value in values.items():
        name = f"{table}.{key}" if table else key
        if isinstance(value, dict) and value:
            yield from _below(value, text, path, name)
        else:
            yield Setting(name, value, path, line_of(text, key, table) if path else 0)
