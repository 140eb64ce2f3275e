"""JSON and JSON Lines: the shape, the keys, the values that tell most, how many there are."""

from __future__ import annotations

import json
from typing import Any

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say, some

_KEYS = 16  # keys that are named
_BESIDE = 20  # characters of a value that stands beside its key
_FEW = 20  # lines that must be JSON before all of them are read
_TELLING = frozenset(
    ("error", "errors", "message", "msg", "code", "status", "state", "ok", "success", "id", "name", "title", "count",
     "total", "result", "version", "url", "path", "level", "错误", "消息", "状态", "名称", "结果", "数量")
)  # fmt: skip


def read(seen: Seen, lang: str) -> list[str]:
    """Read it whole; what only looks like JSON is another kind."""
    first = next((line.lstrip() for line in seen.lines if line.strip()), "")
    if first[:1] not in ("{", "["):
        return []
    if seen.text and (value := _load(seen.text)) is not None:
        return _object(value, lang) if isinstance(value, dict) else _array(value, lang)
    return _rows(seen, lang)


def _object(value: dict[str, Any], lang: str) -> list[str]:
    told = [say(lang, "object", count=len(value), keys=some(lang, [_named(*one) for one in value.items()], _KEYS))]
    telling = [key for key in value if key.lower() in _TELLING and not _said(value[key]) and value[key]]
    return told + [f"{key}: {_short(value[key], 160)}" for key in telling][:4]


def _array(value: list[Any], lang: str) -> list[str]:
    objects = [one for one in value if isinstance(one, dict)]
    if value and len(objects) == len(value):
        told = [say(lang, "objects", count=len(value), keys=_keys(objects, lang))]
    else:
        told = [say(lang, "array", count=len(value))]
    ends = [say(lang, "first", item=_short(value[0], 160))] if value else []
    return told + ends + ([say(lang, "last", item=_short(value[-1], 160))] if len(value) > 1 else [])


def _rows(seen: Seen, lang: str) -> list[str]:
    lines = [line for line in seen.lines if line.strip()]
    few = [_load(line) for line in lines[:_FEW]]
    if len(lines) < 2 or not all(isinstance(one, dict) for one in few):
        return []
    objects = [one for one in few if isinstance(one, dict)]
    told = say(lang, "rows-json", count=seen.total, keys=_keys(objects, lang))
    wrong = [line for line in lines if '"error"' in line[:400].lower()]
    return [told, say(lang, "first", item=lines[0]), *wrong[:1], say(lang, "last", item=lines[-1])]


def _keys(objects: list[dict[str, Any]], lang: str) -> str:
    return some(lang, list(dict.fromkeys(str(key) for one in objects[:100] for key in one)), _KEYS)


def _named(key: str, value: object) -> str:
    """Give a key with what stands there, where that is short to say."""
    if isinstance(value, list):
        return f"{key} [{len(value)}]"
    if isinstance(value, dict):
        return f"{key} {{{len(value)}}}"
    return f"{key} {_short(value)}" if _said(value) else key


def _said(value: object) -> bool:
    """Tell whether a value is so short that it stands beside its key."""
    return not isinstance(value, list | dict) and len(str(value)) <= _BESIDE


def _short(value: object, most: int = 60) -> str:
    if isinstance(value, list | dict) and len(value) > 50:
        return f"[{len(value)}]" if isinstance(value, list) else f"{{{len(value)}}}"
    said = json.dumps(value, ensure_ascii=False)
    return said if len(said) <= most else f"{said[: most - 1]}…"


def _load(text: str) -> Any:  # noqa: ANN401 - what JSON holds
    """Parse an object or an array; None for anything else, and for what is nested too deep to be read."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None
