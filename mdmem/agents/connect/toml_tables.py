"""Tables appended to a TOML text: whether there is room for one, and whether somebody added to it since. Pure."""

from __future__ import annotations

import tomllib
from collections.abc import Collection
from typing import Any

from mdmem.agents.connect.edits import UnfitSettingsError


def check_append(before: str, added: str, after: str) -> None:
    """Refuse to append a table to a TOML text that is broken, or that has or would get another meaning there.

    Raises:
        UnfitSettingsError: the same table stands there, or cannot be added to.
        ValueError: the text is no TOML.
    """
    ((table, entries),) = _read(added).items()
    if _table(_read(before), table).keys() & entries.keys():
        raise UnfitSettingsError("connect.taken")
    try:
        _read(after)
    except ValueError as error:  # an inline table cannot be extended
        raise UnfitSettingsError("connect.inline") from error


def is_added_to(text: str, added: str, after: str) -> bool:
    """Return True if somebody added to an appended table: in `after`, which is without it, that would mean another.

    Raises:
        ValueError: one of the texts is no TOML.
    """
    ((table, entries),) = _read(added).items()
    return _without(text, table, entries) != _without(after, table)


def _read(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _table(found: dict[str, Any], name: str) -> dict[str, Any]:
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise ValueError("no table")  # noqa: TRY004 - one kind of error for every file that cannot be edited
    return table


def _without(text: str, table: str, entries: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings of a text without some entries of a table, and without that table if it is empty."""
    found = _read(text)
    left = {name: one for name, one in _table(found, table).items() if name not in entries}
    return {name: one for name, one in found.items() if name != table} | ({table: left} if left else {})
