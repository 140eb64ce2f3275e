"""Checks a tool's arguments against its schema, for the few words of JSON Schema that the tools use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mdmem.errors import UsageError
from mdmem.workspace.tools.words import say

_TYPES: dict[str, type] = {"string": str, "integer": int, "array": list, "object": dict, "boolean": bool}


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
    missing = [key for key in schema["required"] if key not in given]
    if unknown or missing:
        kind, keys = ("unknown-key", unknown) if unknown else ("missing-key", missing)
        raise UsageError(say(lang, kind, name=str(keys[0])[:40].encode("utf-8", "replace").decode()), hint=hint)
    for key, value in given.items():
        if wrong := _wrong(schema["properties"][key], value, max_bytes):
            raise UsageError(say(lang, wrong, name=key), hint=hint)
    return dict(given)


def _wrong(schema: Mapping[str, Any], value: object, max_bytes: int) -> str:
    """Name what is wrong with a value; empty where nothing is."""
    wanted: str = schema["type"]
    if not isinstance(value, _TYPES[wanted]) or isinstance(value, bool) is not (wanted == "boolean"):
        return wanted
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
