"""What a recipe is: an ordered list of parts, as data of `templates/recipes.toml` and of the user's own settings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mdmem.context.cuts import CUTS
from mdmem.errors import ConfigError, Facts, UsageError
from mdmem.messages.folders import FALLBACK, languages
from mdmem.settings.reader import Layer, line_of, parse_toml

Words = Mapping[str, str]  # language → words; English, and others beside it
_WORDS: Words = {}
FILES = ("text", "window", "recent", "sessions", "recall", "result")  # sources that are no kind of file
_CHOICES = {
    "cut": tuple(CUTS),
    "owner": ("shared", "agent", "both"),
    "role": ("system", "developer", "user", "tool"),
    "inline": ("full-if-fits", "summary"),
}
_DEFAULT = "default"  # the part that says what holds for those which say nothing themselves
_MOST = {"level": 6, "keep": 100, "floor": 100}


def in_language(words: Words, lang: str) -> str:
    """Return the words in a language, else in English."""
    return words.get(lang) or words[FALLBACK]


@dataclass(frozen=True, slots=True)
class RecipePart:
    """One part of a recipe; `templates/recipes.toml` says what each value is for."""

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
    tokens: int | None = None
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
        """Return the part's title in a language, else in English."""
        return in_language(self.title, lang)


@dataclass(frozen=True, slots=True)
class Recipe:
    """An ordered list of parts with the tokens they share."""

    name: str
    budget: int
    slots: tuple[RecipePart, ...]
    pooled: bool = False


@dataclass(frozen=True, slots=True)
class Recipes:
    """All recipes that hold in a workspace, and the marks of what was cut."""

    recipes: Mapping[str, Recipe]
    markers: Mapping[str, Words]  # cut, more, older, code

    def get(self, name: str) -> Recipe:
        """Return the recipe of that name; raises UsageError with those there are."""
        if name not in self.recipes:
            raise UsageError(
                "no recipe is called `{name}`",
                hint="the recipes are: {names}",
                facts={"name": name, "names": ", ".join(self.recipes)},
            )
        return self.recipes[name]


_KEYS: dict[str, dict[str, Any]] = {
    "recipe": {"parts": [""], "budget": 1, "pooled": True},
    "part": {
        "title": _WORDS, "source": "", "level": 1, "only": [""], "except": [""], "owner": "", "keep": 1, "kept": True,
        "once": True, "tokens": 1, "floor": 1, "max_chars": 1, "cut": "", "step": 1, "fields": [""], "ids": True,
        "role": "", "inline": "", "rounds": 1, "code_lines": 1, "tool_lines": 1, "tool_chars": 1, "tool_turns": 1,
        "run_lines": 1, "run_tokens": 1, "whole_tokens": 1, "few": 1,
        "empty": _WORDS, "missing": _WORDS, "near": _WORDS, "sparse": _WORDS, "note": _WORDS,
    },
    "marker": dict.fromkeys(languages(), ""),
}  # fmt: skip
_KINDS: dict[type, str] = {bool: "true or false", int: "a whole number above 0", str: "a text", list: "a list of texts"}


def read_recipes(layers: Sequence[Layer], kinds: Sequence[str]) -> Recipes:
    """Lay recipes over each other, the shipped ones first; `kinds` are the kinds of file that there are.

    Raises:
        ConfigError: a key is unknown or of another type, or a recipe names a part that there is not.
    """
    tables: dict[str, dict[str, dict[str, Any]]] = {name: {} for name in _KEYS}
    homes: dict[tuple[str, str], Layer] = {}
    for layer in layers:
        given = parse_toml(layer.data, layer.path)
        for table, rows in ((name, given[name]) for name in tables if name in given):
            if not isinstance(rows, dict) or not all(isinstance(row, dict) for row in rows.values()):
                raise _wrong(layer, "", table, f"`{table}` must hold tables, as `[{table}.NAME]`")
            for name, row in rows.items():
                _check(layer, table, name, row, kinds)
                tables[table][name] = tables[table].get(name, {}) | row
                homes[table, name] = layer
    default = tables["part"].pop(_DEFAULT, {})
    slots = {name: _slot(name, row, default, homes["part", name]) for name, row in tables["part"].items()}
    recipes = {name: _recipe(name, row, slots, homes["recipe", name]) for name, row in tables["recipe"].items()}
    return Recipes(recipes, tables["marker"])


def _check(layer: Layer, table: str, name: str, row: Mapping[str, Any], kinds: Sequence[str]) -> None:
    valid = _KEYS[table]
    for key, value in row.items():
        home = f"{table}.{name}"
        place = f"{home}.{key}"
        if key not in valid:
            facts = {"table": "", "key": place, "valid": ", ".join(sorted(valid))}
            raise _wrong(layer, home, key, "unknown key `{table}{key}`", "valid keys: {valid}", facts)
        if not _fits(value, valid[key]):
            what = _KINDS.get(type(valid[key]), '{en = "…"}, with other languages beside it')
            raise _wrong(layer, home, key, f"`{place}` must be {what}")
        if table == "marker" and not _is_marker(value):
            raise _wrong(layer, home, key, f"`{place}` may hold {{count}} and {{path}}, and no other braces")
        choices = (*FILES, *kinds) if key == "source" else _CHOICES.get(key, ())
        if choices and value not in choices:
            raise _wrong(layer, home, key, f"`{place}` must be one of: {', '.join(choices)}")
        if key in _MOST and value > _MOST[key]:
            raise _wrong(layer, home, key, f"`{place}` must be at most {_MOST[key]}")


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


def _slot(name: str, row: Mapping[str, Any], default: Mapping[str, Any], home: Layer) -> RecipePart:
    for key in ("title", "source"):
        if key not in row:
            raise _wrong(home, f"part.{name}", "", f"`part.{name}` needs a `{key}`")
    named = {"without" if key == "except" else key: value for key, value in {**default, **row}.items()}
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in named.items()}
    return RecipePart(name, **values)


def _recipe(name: str, row: Mapping[str, Any], slots: Mapping[str, RecipePart], home: Layer) -> Recipe:
    for key in ("parts", "budget"):
        if key not in row:
            raise _wrong(home, f"recipe.{name}", "", "`recipe.{name}` needs `{key}`", facts={"name": name, "key": key})
    for part in row["parts"]:
        if part not in slots or row["parts"].count(part) > 1:
            what = "no part is called `{part}`" if part not in slots else "`recipe.{name}` names `{part}` twice"
            facts = {"name": name, "part": part, "names": ", ".join(sorted(slots))}
            raise _wrong(home, f"recipe.{name}", "parts", what, "the parts are: {names}", facts)
    return Recipe(name, row["budget"], tuple(slots[part] for part in row["parts"]), row.get("pooled", False))


def _wrong(layer: Layer, table: str, key: str, message: str, hint: str = "", facts: Facts = None) -> ConfigError:
    """Make the error that points at a key of a table, or at the table."""
    text = layer.data.decode("utf-8", "replace")
    head = re.search(rf"^[ \t]*\[[ \t]*{re.escape(table)}[ \t]*\]", text, re.MULTILINE)
    start = head.start() if head else 0
    line = text.count("\n", 0, start) + line_of(text[start:], key or table)
    return ConfigError(message, path=layer.path, line=line, hint=hint, facts=facts)
