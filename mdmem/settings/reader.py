"""Reads settings files, validates them, and merges them over the shipped settings; errors name the line."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mdmem.errors import ConfigError
from mdmem.messages.folders import languages
from mdmem.settings.boundary import NOTHING, Boundary
from mdmem.settings.keeper_tables import MODELS
from mdmem.settings.tables import Settings
from mdmem.settings.toml_file import line_of, parse_toml
from mdmem.text.edit import SEVERITIES
from mdmem.text.pattern import pattern

_CHOICES: dict[str, tuple[str, ...]] = {
    "lang": (*languages(), "auto"),
    "lint.fail_on": SEVERITIES,
    "memory.review": ("write", "propose", "off"),
    "memory.forget": ("agent", "ask"),
    "artifacts.secrets": ("mask", "captured", "keep"),
    "session.private": ("drop", "keep"),
    "keeper.backend": ("rules", *MODELS, "agent"),
    "vectors.backend": ("none", "local", "openai"),
    "tokens.counter": ("estimate", "o200k_base", "cl100k_base", "qwen3.5"),
}
_PLACES = ("search.linked",)  # lists of folders and files on this machine
# The largest numbers, by the end of a key: no calendar and no clock counts further. The last one is for every other.
_MOST = {"days": 36_500, "minutes": 10_000_000, "seconds": 1_000_000_000, "_ms": 1_000_000_000, "": 1_000_000_000_000}
_FEW, _NEAREST = 8, 4  # valid keys that an error lists: all of a small table, the most similar ones of a large one
_KINDS = {
    bool: "true or false",
    int: "a whole number above 0",
    float: "a share between 0 and 1",
    str: "a text",
    list: "a list of texts",
    dict: "a table",
}


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
        wanted = base.get(key)
        if isinstance(wanted, dict) and isinstance(value, dict):
            result[key] = merged(wanted, value, text, path, f"{key}.")
            continue
        if error := _wrong_key(base, key, value, table):
            raise ConfigError(
                error.message, path=path, line=line_of(text, key, table.removesuffix(".")), hint=error.hint,
                facts={"table": table, "key": key, **error.facts},
            )  # fmt: skip
        result[key] = value
    return result


class _WrongKey(NamedTuple):
    message: str
    facts: dict[str, object]
    hint: str = ""


def _wrong_key(base: dict[str, Any], key: str, value: object, table: str) -> _WrongKey | None:
    """Return what is wrong with a key of a table or its value, if something is."""
    if key not in base:
        from difflib import get_close_matches  # only for a mistake

        elsewhere = [f"{name}.{key}" for name, one in base.items() if isinstance(one, dict) and key in one]
        if close := elsewhere or get_close_matches(key, base, 1):
            return _WrongKey("unknown key `{table}{key}`", {"valid": close[0]}, "did you mean `{valid}`?")
        if len(base) <= _FEW:
            return _WrongKey("unknown key `{table}{key}`", {"valid": ", ".join(sorted(base))}, "valid keys: {valid}")
        valid = ", ".join(get_close_matches(key, base, _NEAREST, cutoff=0))
        return _WrongKey(
            "unknown key `{table}{key}`", {"valid": valid},
            "the most similar keys: {valid}; `mdmem config show --all` lists every one",
        )  # fmt: skip
    if not _fits(value, base[key]):
        return _WrongKey("`{table}{key}` must be {kind}", {"kind": _KINDS[type(base[key])]})
    if not _is_counted(key, value):
        return _WrongKey("`{table}{key}` must be at most {max}", {"max": largest(key)})
    if not _are_places(f"{table}{key}", value):
        return _WrongKey("`{table}{key}` must name whole paths, from `/` or `~` on", {})
    choices = _CHOICES.get(f"{table}{key}")
    if choices and value not in choices:
        return _WrongKey("`{table}{key}` must be one of: {names}", {"names": ", ".join(choices)})
    return None


def largest(key: str) -> int:
    """Return the largest number that a setting of this name may have."""
    return next(most for ending, most in _MOST.items() if key.endswith(ending))


def _is_counted(key: str, value: object) -> bool:
    return not isinstance(value, int) or value <= largest(key)


def _are_places(name: str, value: Any) -> bool:  # noqa: ANN401 - a list of texts where the name is one of `_PLACES`
    return name not in _PLACES or all(_WHOLE.match(one) for one in value)


def _is_valid(base: dict[str, Any], key: str, value: object, table: str) -> bool:
    choices = _CHOICES.get(f"{table}{key}")
    fits = key in base and _fits(value, base[key]) and _is_counted(key, value) and _are_places(f"{table}{key}", value)
    return fits and (not choices or value in choices)


def _safe(base: dict[str, Any], override: dict[str, Any]) -> dict[str, Any]:
    """Return the valid values of a settings file with a mistake, and nothing looser than the mistake may have meant.

    Memory is off if the file may have switched it off, and no review is made if another value of its table is wrong.
    """
    from difflib import get_close_matches  # only for a mistake

    found = without_mistakes(base, override)
    names = [name for name in override if name == _MEMORY or (name not in base and get_close_matches(name, (_MEMORY,)))]
    for given in (override[name] for name in names):
        table = given if isinstance(given, dict) else {}
        kept = found.setdefault(_MEMORY, {})
        if not table or kept.keys() != table.keys():
            kept["review"] = "off"
        if not isinstance(kept.get("enabled"), bool) and (
            not table or "enabled" in table or table.keys() - base[_MEMORY]
        ):
            kept["enabled"] = False
    return found


def is_toml(data: bytes) -> bool:
    """Return whether a text can be read as TOML, whatever its keys are."""
    try:
        parse_toml(data, "")
    except ConfigError:
        return False
    return True


def stricter_memory(shipped: bytes, data: bytes) -> dict[str, Any]:
    """Return what a settings file with a mistake may have made stricter in the table `memory`.

    Args:
        shipped: the shipped file.
        data: the file; it may be no TOML, then its lines are looked at.
    """
    if is_toml(data):
        found = _safe(parse_toml(shipped, ""), parse_toml(data, "")).get(_MEMORY, {})
    else:
        found = _memory_lines(data.decode("utf-8", "replace"))
    return {key: value for key, value in _STRICTEST.items() if key in found and found[key] == value}


def _memory_lines(text: str) -> dict[str, Any]:
    """Return the strictest value for each key that the lines of a text set to anything but a known, looser one."""
    found, table = {}, ""
    for line in text.split("\n"):
        if heading := _HEADING.match(line):
            table = heading[1]
        for one in _SETS.finditer(line if table == _MEMORY or _MEMORY in line else ""):
            if one[2] not in _LOOSER[one[1]]:
                found[one[1]] = _STRICTEST[one[1]]
    return found


def without_mistakes(base: dict[str, Any], override: dict[str, Any], table: str = "") -> dict[str, Any]:
    """Return the values of a settings file that are valid."""
    found = {}
    for key, value in override.items():
        wanted = base.get(key)
        if isinstance(wanted, dict) and isinstance(value, dict):
            found[key] = without_mistakes(wanted, value, f"{key}.")
        elif _is_valid(base, key, value, table):
            found[key] = value
    return found


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


_MEMORY = "memory"  # the table that switches memory off
_STRICTEST: dict[str, Any] = {"enabled": False, "review": "off"}
_LOOSER = {"enabled": ("true",), "review": ('"write"', '"propose"', "'write'", "'propose'")}
_HEADING = pattern(r"[ \t]*\[++[ \t]*[\"']?(\w*+)")
_SETS = pattern(r"(?<![\w-])(enabled|review)[\"']?[ \t]*+=[ \t]*+([^\s,#}]*+)")
_WHOLE = pattern(r"[/~]|[A-Za-z]:[/\\]")  # the beginning of a path that does not depend on where a process stands
_RECIPES = ("recipe", "part", "marker")  # tables of the packer: `context.recipe` checks all but the names of parts


class Layer(NamedTuple):
    """A settings file that overrides those before it; an untrusted one cannot set what needs trust."""

    data: bytes
    path: str  # for messages
    trusted: bool


def no_part(layer: Layer, recipe: str, part: str, known: Collection[str]) -> ConfigError:
    """Return the error for a recipe that names an unknown part."""
    line = line_of(layer.data.decode("utf-8", "replace"), "parts", f"recipe.{recipe}")
    facts = {"name": recipe, "part": part, "names": ", ".join(sorted(known))}
    message, hint = "no part is called `{part}`", "the parts are: {names}"
    return ConfigError(message, path=layer.path, line=line, hint=hint, facts=facts)


def _check_parts(layer: Layer, tables: Mapping[str, Any], parts: set[str]) -> None:
    """Refuse a recipe that names an unknown part; `parts` takes those that this layer adds."""
    recipes, own = (tables.get(name) for name in ("recipe", "part"))
    parts.update(own if isinstance(own, dict) else ())
    for name, row in recipes.items() if isinstance(recipes, dict) else ():
        named = row.get("parts") if isinstance(row, dict) else None
        for part in named if isinstance(named, list) else ():
            if isinstance(part, str) and part not in parts:
                raise no_part(layer, name, part, parts)


def _check_numbers(layer: Layer, tables: Mapping[str, Any]) -> None:
    """Refuse a number in a recipe or part that no calendar and no clock counts to."""
    text = layer.data.decode("utf-8", "replace")
    for table, name, key, value in recipe_numbers(tables):
        if value > largest(key):
            raise ConfigError(
                "`{table}{key}` must be at most {max}", path=layer.path, line=line_of(text, key, f"{table}.{name}"),
                facts={"table": f"{table}.{name}.", "key": key, "max": largest(key)},
            )  # fmt: skip


def recipe_numbers(tables: Mapping[str, Any]) -> Iterator[tuple[str, str, str, int]]:
    """Yield the numbers in the recipes and parts of a file, each with its table, row and key."""
    for table in ("recipe", "part"):
        rows = tables.get(table)
        for name, row in rows.items() if isinstance(rows, dict) else ():
            for key, value in row.items() if isinstance(row, dict) else ():
                if isinstance(value, int) and not isinstance(value, bool):
                    yield table, name, key, value


def recipe_bounds(tables: Mapping[str, Any], factor: int) -> dict[str, int]:
    """Return how large the numbers in recipes and parts of an untrusted folder may be, by key.

    Args:
        tables: the shipped and the user's own ones.
        factor: how many times the largest of them.
    """
    most: dict[str, int] = {}
    for _, _, key, value in recipe_numbers(tables):
        most[key] = max(most.get(key, 0), factor * value)
    return most


def closed_numbers(data: bytes, path: str, bounds: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Return the numbers in the recipes and parts of a file that are above their bounds; raises ConfigError."""
    closed: dict[str, dict[str, int]] = {}
    for table, name, key, value in recipe_numbers(parse_toml(data, path)):
        if value > bounds.get(key, value):
            closed.setdefault(table, {})[f"{name}.{key}"] = value
    return closed


def read_settings(
    shipped: bytes, layers: Sequence[Layer] = (), mistakes: list[ConfigError] | None = None, *,
    whole: bool = False, recipes: Callable[[], bytes] | None = None,
) -> Settings:  # fmt: skip
    """Return the settings of the shipped file, overridden by the layers in order; see `layered`."""
    return layered(parse_toml(shipped, ""), layers, mistakes, whole=whole, recipes=recipes)


def layered(
    base: dict[str, Any], layers: Sequence[Layer] = (), mistakes: list[ConfigError] | None = None, *,
    whole: bool = False, boundary: Boundary = NOTHING, recipes: Callable[[], bytes] | None = None,
) -> Settings:  # fmt: skip
    """Return the shipped settings, overridden by the layers in order.

    Args:
        base: the shipped settings; they are not changed.
        layers: the files over it.
        mistakes: takes the first mistake of each layer, whose other values hold; None to raise it.
        whole: also pass over a layer that is no TOML.
        boundary: what an untrusted layer may set.
        recipes: returns the shipped recipes, where the parts that a layer's recipes name shall be checked.

    Raises:
        ConfigError: the TOML is broken, a key or a part of a recipe is unknown, or a value has the wrong type; names
            file, line and valid keys.
    """
    values = base
    parts: set[str] = set()
    for layer in layers:
        override: dict[str, Any] = {}
        text = layer.data.decode("utf-8", "replace")
        try:
            found = parse_toml(layer.data, layer.path)
            override = {key: value for key, value in found.items() if key not in _RECIPES}
            merged(base, override, text, layer.path)  # ignored settings must be valid too
            if recipes is not None and not found.keys().isdisjoint(_RECIPES):
                parts.update(parts or parse_toml(recipes(), "")["part"])
                _check_parts(layer, found, parts)
                _check_numbers(layer, found)
        except ConfigError as error:
            if mistakes is None or not (override or whole):
                raise
            mistakes.append(error)
            override = _safe(base, override)
        values = merged(values, override if layer.trusted else boundary.open(override, values), text, layer.path)
    return Settings(values)


def closed_settings(data: bytes, path: str, held: Mapping[str, Any], boundary: Boundary) -> dict[str, Any]:
    """Return the settings of a file that need trust, by table; `held` are those that hold without it.

    Raises:
        ConfigError: it is no TOML.
    """
    found = {key: value for key, value in parse_toml(data, path).items() if key not in _RECIPES}
    applied = boundary.open(found, held)
    closed = {}
    for name, value in found.items():
        if isinstance(value, dict):
            opened = applied.get(name, {})
            if rest := {key: one for key, one in value.items() if key not in opened}:
                closed[name] = rest
    return closed


def part_roles(data: bytes, path: str) -> dict[str, str]:
    """Return the roles that a file gives to parts of recipes, by `part.role`; raises ConfigError."""
    parts = parse_toml(data, path).get("part")
    rows = parts.items() if isinstance(parts, dict) else ()
    return {f"{name}.role": row["role"] for name, row in rows if isinstance(row, dict) and "role" in row}
