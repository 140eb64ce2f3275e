"""Lists the effective settings of a workspace, with the file and line of each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from mdmem.config.trust import USER_SETTINGS, shipped_boundary, shipped_settings
from mdmem.config.trust_requests import settings_without_own
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.settings.toml_file import KeyLines, parse_toml
from mdmem.store.walk import SETTINGS_FILE


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: its key with the table before it, its value, and its location."""

    key: str
    value: Any
    path: str  # empty for a shipped value
    line: int
    ignored: bool = False  # it needs trust, and the user has not granted it


def settings(config: WorkspaceConfig, *, every: bool) -> tuple[Setting, ...]:
    """Return the settings that differ from the shipped ones, or all of them, in the order of the shipped file.

    Raises:
        ConfigError: a settings file is wrong.
    """
    found = {one.key: one for one in _read(shipped_settings(), "")}
    order = {key: at for at, key in enumerate(found)}
    _ = config.settings  # raises ConfigError for an invalid file
    refused: list[Setting] = []
    for data, path, trusted in (
        (config.user_settings, USER_SETTINGS, True),
        (config.own_settings, SETTINGS_FILE, config.trusted),
    ):
        values = parse_toml(data or b"", path)
        opened = values if trusted else shipped_boundary().open(values, settings_without_own(config).values)
        applied = {one.key for one in _below(opened, None, "", "")}
        for one in _read(data or b"", path):
            if one.key not in applied:
                refused.append(replace(one, ignored=True))
            elif every or one.value != (found[one.key].value if one.key in found else None):
                found[one.key] = one
    shown = [one for one in found.values() if every or one.path]
    return tuple(sorted([*shown, *refused], key=lambda one: order.get(one.key, len(order))))


def _read(data: bytes, path: str) -> Iterator[Setting]:
    """Read the settings of one file, with their lines."""
    lines = KeyLines(data.decode("utf-8", "replace")) if path else None
    yield from _below(parse_toml(data, path), lines, path, "")


def _below(values: dict[str, Any], lines: KeyLines | None, path: str, table: str) -> Iterator[Setting]:
    for key, value in values.items():
        name = f"{table}.{key}" if table else key
        if isinstance(value, dict) and value:
            yield from _below(value, lines, path, name)
        else:
            yield Setting(name, value, path, lines.line(key, table) if lines else 0)
