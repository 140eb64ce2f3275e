"""Recipes: ordered lists of parts, read from `templates/recipes.toml` and the user's own settings."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from mdmem.context.cuts import CUTS
from mdmem.errors import ConfigError, Facts, UsageError
from mdmem.identity.model import TARGETS
from mdmem.messages.folders import FALLBACK, languages
from mdmem.settings.reader import Layer, no_part, recipe_bounds, recipe_numbers
from mdmem.settings.toml_file import line_of, parse_toml

Words = Mapping[str, str]  # language → text; English is always present
Tables: TypeAlias = dict[str, dict[str, dict[str, Any]]]  # recipe, part, marker → name → values, as types of JSON
_WORDS: Words = {}
FILES = (  # sources that are not a kind of file
    "text", "window", "recent", "sessions", "recall", "standing", "result", "task_knowledge", "plan_knowledge",
)  # fmt: skip
_CHOICES = {
    "cut": tuple(CUTS),
    "owner": ("shared", "agent", "both"),
    "role": ("system", "developer", "user", "tool"),
    "inline": ("full-if-fits", "summary"),
    "compiled": TARGETS,
}
_DEFAULT = "default"  # the part with the default values
_MOST = {"level": 6, "keep": 100, "floor": 100}


def in_language(words: Words, lang: str) -> str:
    """Return the text in a language, or else in English."""
    return words.get(lang) or words[FALLBACK]


@dataclass(frozen=True, slots=True)
class RecipePart:
    """One part of a recipe; `templates/recipes.toml` explains each value."""

    name: str
    title: Words
    source: str
    level: int
    owner: str
    keep: int
    step: int
    role: str
    inline: str
    tool_lines: int
    tool_turns: int
    tool_chars: int
    few: int
    only: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    kept: bool = False
    once: bool = False
    compiled: str = ""
    tokens: int | None = None
    generated: int | None = None
    floor: int = 0
    max_chars: int | None = None
    cut: str = ""
    fields: tuple[str, ...] = ()
    ids: bool = False
    rounds: int | None = None
    code_lines: int | None = None
    run_lines: int | None = None
    run_tokens: int | None = None
    whole_tokens: int | None = None
    empty: Words = field(default_factory=dict)
    missing: Words = field(default_factory=dict)
    near: Words = field(default_factory=dict)
    sparse: Words = field(default_factory=dict)
    note: Words = field(default_factory=dict)

    def titled(self, lang: str) -> str:
        """Return the part's title in a language, or else in English."""
        return in_language(self.title, lang)


@dataclass(frozen=True, slots=True)
class Recipe:
    """An ordered list of parts, and the tokens that they share."""

    name: str
    budget: int
    slots: tuple[RecipePart, ...]
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class Recipes:
    """All recipes of a workspace, and the markers for omitted items."""

    recipes: Mapping[str, Recipe]
    markers: Mapping[str, Words]  # cut, more, older, code

    def get(self, name: str) -> Recipe:
        """Return a recipe by name.

        Raises:
            UsageError: there is none; the hint lists the names.
        """
        if name not in self.recipes:
            raise UsageError(
                "no recipe is called `{name}`",
                hint="the recipes are: {names}",
                facts={"name": name, "names": ", ".join(self.recipes)},
            )
        return self.recipes[name]


_KEYS: dict[str, dict[str, Any]] = {
    "recipe": {"parts": [""], "budget": 1, "pooled": True, "level": 1},
    "part": {
        "title": _WORDS, "source": "", "level": 1, "only": [""], "except": [""], "owner": "", "keep": 1, "kept": True,
        "compiled": "",
        "once": True, "tokens": 1, "generated": 1,
        "floor": 1, "max_chars": 1, "cut": "", "step": 1, "fields": [""], "ids": True,
        "role": "", "inline": "", "rounds": 1, "code_lines": 1, "tool_lines": 1, "tool_chars": 1, "tool_turns": 1,
        "run_lines": 1, "run_tokens": 1, "whole_tokens": 1, "few": 1,
        "empty": _WORDS, "missing": _WORDS, "near": _WORDS, "sparse": _WORDS, "note": _WORDS,
    },
    "marker": dict.fromkeys(languages(), ""),
}  # fmt: skip
_KINDS: dict[type, str] = {bool: "true or false", int: "a whole number above 0", str: "a text", list: "a list of texts"}


def read_tables(layers: Sequence[Layer], kinds: Sequence[str], factor: int) -> Tables:
    """Return the tables of all layers, later layers over earlier ones.

    Args:
        layers: the files.
        kinds: the kinds of memory file.
        factor: how many times the numbers of the layers before those of an untrusted layer may be.

    Raises:
        ConfigError: a key is unknown or has a wrong type, or a recipe names an unknown part.
    """
    tables: Tables = {name: {} for name in _KEYS}
    layers_of: dict[tuple[str, str], Layer] = {}
    for layer in layers:
        data, bounds = parse_toml(layer.data, layer.path), recipe_bounds(tables, factor)
        for table, rows in ((name, data[name]) for name in tables if name in data):
            if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
                raise _wrong(layer, "", table, f"`{table}` must hold tables, as `[{table}.NAME]`")
            for name, row in rows.items():
                _check(layer, table, name, row, kinds)
                made: dict[str, Any] = row if layer.trusted else _opened(table, name, row, tables["part"], bounds)
                tables[table][name] = tables[table].get(name, {}) | made
                layers_of[table, name] = layer
    parts = {name: row for name, row in tables["part"].items() if name != _DEFAULT}
    for name, row in parts.items():
        _check_part(name, row, layers_of["part", name])
    for name, row in tables["recipe"].items():
        _check_recipe(name, row, parts, layers_of["recipe", name])
    return tables


def _opened(
    table: str, name: str, row: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]], bounds: Mapping[str, int]
) -> dict[str, Any]:
    """Return a row of a folder that is not trusted, with the numbers and the role that it may have."""
    numbers = {key: min(value, bounds.get(key, value)) for _, _, key, value in recipe_numbers({table: {name: row}})}
    made = {**row, **numbers}
    return _with_role_of_source(name, made, parts) if table == "part" else made


def _with_role_of_source(name: str, row: Mapping[str, Any], parts: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return a part of a folder that is not trusted with the role that its source has; no tool speaks as the system."""
    source = row.get("source", parts.get(name, {}).get("source"))
    roles = [one["role"] for one in parts.values() if one.get("source") == source and "role" in one]
    rest = {key: value for key, value in row.items() if key != "role"}
    return rest | {"role": roles[0]} if roles else rest


def build_recipes(tables: Tables) -> Recipes:
    """Return the recipes of checked tables."""
    default = tables["part"].get(_DEFAULT, {})
    slots = {name: _slot(name, default | row) for name, row in tables["part"].items() if name != _DEFAULT}
    return Recipes({name: _recipe(name, row, slots) for name, row in tables["recipe"].items()}, tables["marker"])


def _check(layer: Layer, table: str, name: str, row: Mapping[str, Any], kinds: Sequence[str]) -> None:
    valid = _KEYS[table]
    for key, value in row.items():
        table_path = f"{table}.{name}"
        key_path = f"{table_path}.{key}"
        if key not in valid:
            facts = {"table": "", "key": key_path, "valid": ", ".join(sorted(valid))}
            raise _wrong(layer, table_path, key, "unknown key `{table}{key}`", "valid keys: {valid}", facts)
        if not _fits(value, valid[key]):
            what = _KINDS.get(type(valid[key]), '{en = "…"}, with other languages beside it')
            raise _wrong(layer, table_path, key, f"`{key_path}` must be {what}")
        if table == "marker" and not _is_marker(value):
            raise _wrong(layer, table_path, key, f"`{key_path}` may hold {{count}} and {{path}}, and no other braces")
        choices = (*FILES, *kinds) if key == "source" else _CHOICES.get(key, ())
        if choices and value not in choices:
            raise _wrong(layer, table_path, key, f"`{key_path}` must be one of: {', '.join(choices)}")
        if key in _MOST and value > _MOST[key]:
            raise _wrong(layer, table_path, key, f"`{key_path}` must be at most {_MOST[key]}")


def _is_marker(words: str) -> bool:
    try:
        return bool(words.format(count=0, path=""))
    except (ValueError, LookupError, AttributeError):
        return False


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, dict):
        return (
            isinstance(value, dict)
            and {FALLBACK} <= set(value) <= set(languages())
            and all(isinstance(one, str) for one in value.values())
        )
    if isinstance(wanted, bool) or isinstance(value, bool):
        return isinstance(wanted, bool) and isinstance(value, bool)
    if isinstance(wanted, int):
        return isinstance(value, int) and value > 0
    if isinstance(wanted, list):
        return isinstance(value, list) and all(isinstance(one, str) for one in value)
    return isinstance(value, str)


def _check_part(name: str, row: Mapping[str, Any], layer: Layer) -> None:
    for key in ("title", "source"):
        if key not in row:
            raise _wrong(layer, f"part.{name}", "", f"`part.{name}` needs a `{key}`")


def _check_recipe(name: str, row: Mapping[str, Any], known: Collection[str], layer: Layer) -> None:
    for key in ("parts", "budget"):
        if key not in row:
            raise _wrong(layer, f"recipe.{name}", "", "`recipe.{name}` needs `{key}`", facts={"name": name, "key": key})
    for part in row["parts"]:
        if part not in known:
            raise no_part(layer, name, part, known)
        if row["parts"].count(part) > 1:
            facts = {"name": name, "part": part}
            raise _wrong(layer, f"recipe.{name}", "parts", "`recipe.{name}` names `{part}` twice", facts=facts)


def _slot(name: str, row: Mapping[str, Any]) -> RecipePart:
    named = {"without" if key == "except" else key: value for key, value in row.items()}
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in named.items()}
    return RecipePart(name, **values)


def _recipe(name: str, row: Mapping[str, Any], slots: Mapping[str, RecipePart]) -> Recipe:
    parts = tuple(slots[part] for part in row["parts"])
    if level := row.get("level"):
        parts = tuple(replace(part, level=level) for part in parts)
    return Recipe(name, row["budget"], parts, row.get("pooled", False))


def _wrong(layer: Layer, table: str, key: str, message: str, hint: str = "", facts: Facts = None) -> ConfigError:
    """Return the error at a key of a table, or at the table."""
    text = layer.data.decode("utf-8", "replace")
    head = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", text, re.MULTILINE)
    start = head.start() if head else 0
    line = text.count("\n", 0, start) + line_of(text[start:], key or table)
    return ConfigError(message, path=layer.path, line=line, hint=hint, facts=facts)
