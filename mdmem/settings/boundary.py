"""What a workspace's own mdmem.toml may set before the user trusts it.

`templates/boundary.toml` gives each setting a class, and explains them. A value that its class does not allow is
ignored: that of the user, or the shipped one, holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mdmem.settings.toml_file import parse_toml

_TABLES = ("order", "words")  # tables of the file that are no settings


class Boundary(NamedTuple):
    """The class of each setting, and what the classes need to know."""

    classes: Mapping[str, str]  # `table.key` → class
    words: Mapping[str, tuple[str, ...]]  # of ordered settings, from the strictest on, and of those with open words
    factor: int

    def open(self, found: Mapping[str, Any], base: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a file that need no trust, over those that hold without it."""
        applied: dict[str, Any] = {}
        for name, value in found.items():
            held = base.get(name)
            if not isinstance(value, dict) or not isinstance(held, dict):  # `lang`, or no table of settings
                applied[name] = value
                continue
            table = {key: one for key, one in value.items() if self._allows(f"{name}.{key}", one, held.get(key))}
            if table or not value:
                applied[name] = table
        return applied

    def _allows(self, name: str, value: Any, held: Any) -> bool:  # noqa: ANN401 - values of settings
        kind = self.classes.get(name, "trust")
        if kind in ("data", "trust"):
            return kind == "data"
        if kind == "off":
            return value is False or held is True
        if kind == "subset":
            return isinstance(value, list) and set(value) <= set(held or ())
        if kind == "superset":
            return isinstance(value, list) and set(value) >= set(held or ())
        if kind == "words":
            return value in self.words[name]
        if kind == "ordered":
            words = self.words[name]
            return value in words and words.index(value) <= (words.index(held) if held in words else len(words))
        if not isinstance(value, int | float) or not isinstance(held, int | float):
            return True  # not valid, which the reader tells
        if kind == "at_least":
            return value >= held
        return value <= held * (self.factor if kind == "bounded" else 1)


NOTHING = Boundary({}, {}, 0)  # every setting needs trust


def read_boundary(data: bytes, path: str) -> Boundary:
    """Read the shipped table of classes; raises ConfigError."""
    found = parse_toml(data, path)
    words = {name: tuple(one) for table in _TABLES for name, one in found[table].items()}
    tables = {name: rows for name, rows in found.items() if isinstance(rows, dict) and name not in _TABLES}
    classes = {
        f"{name}.{key}": kind for name, rows in tables.items() for kind, keys in rows.items() for key in keys
    }  # fmt: skip
    return Boundary(classes, words, found["factor"])
