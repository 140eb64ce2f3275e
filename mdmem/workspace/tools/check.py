"""Checks a tool's arguments against its schema, for the few words of JSON Schema that the tools use.

Models send `"3"` for 3, `"true"` for true, one text for a list of one, and null for what they leave out: what can only
mean one thing is taken as that.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mdmem.core.pattern import pattern
from mdmem.errors import UsageError
from mdmem.workspace.tools.words import say

_TYPES: dict[str, type] = {"string": str, "integer": int, "array": list, "object": dict, "boolean": bool}
_WHOLE = pattern(r"\s*[+-]?\d{1,18}(?:\.0+)?\s*")


def check(schema: Mapping[str, Any], given: object, lang: str, max_bytes: int) -> dict[str, Any]:
    """Give the arguments, known to fit the schema; a text may hold `max_bytes` and no half character.

    Raises:
        UsageError: a key is missing, unknown or of another type; says which, and the valid ones.
    """
    valid = ", ".join(f"{key}{'' if key in schema['required'] else '?'}" for key in schema["properties"])
    hint = say(lang, "keys", keys=valid)
    if not isinstance(given, Mapping):
        raise UsageError(say(lang, "no-object"), hint=hint)
    unknown = [key for key in given if key not in schema["properties"]]
    missing = [key for key in schema["required"] if given.get(key) is None]
    if unknown or missing:
        kind, keys = ("unknown-key", unknown) if unknown else ("missing-key", missing)
        raise UsageError(say(lang, kind, name=str(keys[0])[:40].encode("utf-8", "replace").decode()), hint=hint)
    values = {}
    for key, value in given.items():
        if value is None:
            continue
        wanted = schema["properties"][key]
        values[key] = _meant(wanted, value)
        if wrong := _wrong(wanted, values[key], max_bytes):
            names = ", ".join(wanted.get("enum", ()))
            raise UsageError(say(lang, wrong, name=key, names=names), hint=hint)
    return values


def _meant(schema: Mapping[str, Any], value: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a value as the type that the schema wants, where it can only mean one thing; else as it is."""
    wanted: str = schema["type"]
    if wanted == "string":
        return _text(schema, value)
    if wanted == "integer":
        if isinstance(value, float) and value.is_integer():
            return int(value)
        return int(float(value)) if isinstance(value, str) and _WHOLE.fullmatch(value) else value
    if wanted == "boolean":
        return {"true": True, "false": False}.get(value.strip().casefold(), value) if isinstance(value, str) else value
    if isinstance(value, str):
        value = _decoded(value, _TYPES[wanted])
    if wanted == "array":
        items = value if isinstance(value, list) else [value] if isinstance(value, str | int | float) else None
        return value if items is None else [_meant(schema["items"], one) for one in items]
    inner = schema["additionalProperties"]
    return {key: _meant(inner, one) for key, one in value.items()} if isinstance(value, dict) else value


def _text(schema: Mapping[str, Any], value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if isinstance(value, str) and "enum" in schema:
        said = value.strip().casefold()
        return next((one for one in schema["enum"] if one.casefold() == said), value)
    return value


def _decoded(value: str, wanted: type) -> object:
    """Return the list or the object that a text is the JSON of; any other text as it is."""
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found if isinstance(found, wanted) else value


def _wrong(schema: Mapping[str, Any], value: object, max_bytes: int) -> str:
    """Name what is wrong with a value; empty where nothing is."""
    wanted: str = schema["type"]
    if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool) is not (wanted == "boolean"):
        return wanted
    if "enum" in schema and value not in schema["enum"]:
        return "enum"
    if isinstance(value, str):
        return _wrong_text(value, max_bytes)
    if isinstance(value, list):
        if not schema["minItems"] <= len(value) <= schema["maxItems"]:
            return "length"
        return next(filter(None, (_wrong(schema["items"], one, max_bytes) for one in value)), "")
    if isinstance(value, dict):
        inner = schema["additionalProperties"]
        return next(filter(None, (_wrong(inner, one, max_bytes) for pair in value.items() for one in pair)), "")
    return ""


def _wrong_text(value: str, max_bytes: int) -> str:
    if len(value) > max_bytes:
        return "too-long"
    try:
        return "too-long" if len(value.encode()) > max_bytes else ""
    except UnicodeEncodeError:
        return "half-character"
