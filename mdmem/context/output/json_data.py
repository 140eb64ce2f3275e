"""JSON and JSON Lines: the shape, the keys, the values that tell most, how many there are."""

from __future__ import annotations

import json
from typing import Any

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say, some
from mdmem.core.settings.files import ArtifactSettings

_ALONE = 160  # characters of a value that has a line to itself, with its key; the line has its own bound
_FEW = 20  # lines that must be JSON before all of them are read
_TELLING = frozenset(
    ("error", "errors", "message", "msg", "code", "status", "state", "ok", "success", "id", "name", "title", "count",
     "total", "result", "version", "url", "path", "level", "错误", "消息", "状态", "名称", "结果", "数量")
)  # fmt: skip


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Read it whole; what only looks like JSON is another kind."""
    first = next((line.lstrip() for line in seen.lines if line.strip()), "")
    if first[:1] not in ("{", "["):
        return []
    if seen.text and (value := _load(seen.text)) is not None:
        return _object(value, lang, numbers) if isinstance(value, dict) else _array(value, lang, numbers)
    return _rows(seen, lang, numbers)


def _object(value: dict[str, Any], lang: str, numbers: ArtifactSettings) -> list[str]:
    most = numbers.value_chars
    names = [_named(key, one, most) for key, one in value.items()]
    told = [say(lang, "object", count=len(value), keys=some(lang, names, numbers.keys))]
    telling = [key for key in value if key.lower() in _TELLING and not _said(value[key], most) and value[key]]
    return told + [f"{key}: {_short(value[key])}" for key in telling][:4]


def _array(value: list[Any], lang: str, numbers: ArtifactSettings) -> list[str]:
    objects = [one for one in value if isinstance(one, dict)]
    if value and len(objects) == len(value):
        told = [say(lang, "objects", count=len(value), keys=_keys(objects, lang, numbers.keys))]
    else:
        told = [say(lang, "array", count=len(value))]
    ends = [say(lang, "first", item=_short(value[0]))] if value else []
    return told + ends + ([say(lang, "last", item=_short(value[-1]))] if len(value) > 1 else [])


def _rows(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    lines = [line for line in seen.lines if line.strip()]
    few = [_load(line) for line in lines[:_FEW]]
    if len(lines) < 2 or not all(isinstance(one, dict) for one in few):
        return []
    objects = [one for one in few if isinstance(one, dict)]
    told = say(lang, "rows-json", count=seen.total, keys=_keys(objects, lang, numbers.keys))
    wrong = [line for line in lines if '"error"' in line[:400].lower()]
    return [told, say(lang, "first", item=lines[0]), *wrong[:1], say(lang, "last", item=lines[-1])]


def _keys(objects: list[dict[str, Any]], lang: str, most: int) -> str:
    return some(lang, list(dict.fromkeys(str(key) for one in objects[:100] for key in one)), most)


def _named(key: str, value: object, most: int) -> str:
    """Give a key with what stands there, where that is short to say."""
    if isinstance(value, list):
        return f"{key} [{len(value)}]"
    if isinstance(value, dict):
        return f"{key} {{{len(value)}}}"
    return f"{key} {json.dumps(value, ensure_ascii=False)}" if _said(value, most) else key


def _said(value: object, most: int) -> bool:
    """Tell whether a value is so short that it stands beside its key."""
    return not isinstance(value, list | dict) and len(str(value)) <= most


def _short(value: object) -> str:
    if isinstance(value, list | dict) and len(value) > 50:
        return f"[{len(value)}]" if isinstance(value, list) else f"{{{len(value)}}}"
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= _ALONE else f"{said[: _ALONE - 1]}…"


def _load(text: str) -> Any:  # noqa: ANN401 - what JSON holds
    """Parse an object or an array; None for anything else, and for what is nested too deep to be read."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None
