"""Reads what a program says of a turn: its text or blocks, the tools that were called, and their results (K073, K141).

The forms are those of the common interfaces of models: `tool_calls` with `input` or with `arguments` as a string of
JSON, `tool_results`, blocks of `content`, and a message with the role `tool`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mdmem.errors import UsageError


class ToolCall(NamedTuple):
    """A call of a tool."""

    name: str
    input: str  # JSON, or a command as it was given
    id: str = ""


class ToolResult(NamedTuple):
    """The result of a call."""

    call: str  # the id of the call
    content: str
    ok: bool | None = None  # None if it is not known


class RecordLine(NamedTuple):
    """One line of a program: a turn with its tool runs."""

    role: str
    text: str
    at: str  # empty if the line does not say
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]
    unknown: tuple[str, ...]  # what was not recorded: keys, and kinds of blocks


_HINT, _EXAMPLE = "send {line}", '{"role": "user", "text": "…"}'
_KEYS = frozenset({
    "role", "text", "content", "time", "timestamp", "tool", "tool_calls", "tool_results", "tool_call_id", "is_error",
})  # fmt: skip
_CALL_KEYS = frozenset({"name", "input", "id", "arguments", "function", "type"})
_FUNCTION_KEYS = frozenset({"name", "arguments"})
_RESULT_KEYS = frozenset({"tool_use_id", "tool_call_id", "content", "is_error", "type"})
_END_KEYS = frozenset({"end", "outcome"})


def read_record(given: Mapping[str, Any]) -> RecordLine:
    """Read a line; raises UsageError if a value has the wrong type."""
    unknown = [key for key in given if key not in _KEYS]
    key = "content" if "content" in given and "text" not in given else "text"
    content = given.get(key)
    if key == "content" and content is None and (given.get("tool_calls") or given.get("tool_results")):
        content = ""
    blocks = _read_blocks(content, unknown) if isinstance(content, list) else None
    text = blocks.text if blocks else text_value(given, key)
    calls = (*(blocks.calls if blocks else ()), *read_calls(given.get("tool_calls"), unknown))
    results = (*(blocks.results if blocks else ()), *read_results(given.get("tool_results"), unknown))
    if given.get("tool_call_id"):
        results = (*results, ToolResult(text_value(given, "tool_call_id"), text, _is_ok(given)))
        text = ""
    if tool := text_value(given, "tool", ""):
        text = f"{tool}: {text}"
    role = text_value(given, "role", "tool" if tool else None)
    at = text_value(given, "time", "") or text_value(given, "timestamp", "")
    return RecordLine(role, text, at, calls, results, tuple(dict.fromkeys(unknown)))


def unknown_end_keys(given: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a line that ends a session which mean nothing there."""
    return tuple(key for key in given if key not in _END_KEYS)


def text_value(given: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return the text of a key; raises UsageError if it is something else, or missing without a default."""
    value = given.get(key, default)
    if not isinstance(value, str):
        raise UsageError("`{key}` must be a text", hint=_HINT, facts={"line": _EXAMPLE, "key": key})
    return value


def read_calls(given: object, unknown: list[str] | None = None) -> tuple[ToolCall, ...]:
    """Read calls of tools: `[{"name", "input", "id"}]`, or with `arguments`, or as a string of JSON."""
    return tuple(_call(one, unknown if unknown is not None else []) for one in _objects(given, "tool_calls"))


def read_results(given: object, unknown: list[str] | None = None) -> tuple[ToolResult, ...]:
    """Read results of calls: `[{"tool_use_id", "content", "is_error"}]`, or as a string of JSON."""
    return tuple(_result(one, unknown if unknown is not None else []) for one in _objects(given, "tool_results"))


def _objects(given: object, key: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(given, str):
        try:
            given = json.loads(given) if given.strip() else None
        except (ValueError, RecursionError):
            raise _not_objects(key) from None
    found = [] if given is None else given
    if not isinstance(found, Sequence) or isinstance(found, str | bytes):
        raise _not_objects(key)
    for one in found:
        if not isinstance(one, Mapping):
            raise _not_objects(key)
        yield one


def _not_objects(key: str) -> UsageError:
    example = (
        '[{"name": "…", "input": {}, "id": "…"}]' if key == "tool_calls" else '[{"tool_use_id": "…", "content": "…"}]'
    )
    return UsageError(
        "`{key}` must be a list of objects", hint=_HINT, facts={"line": f'"{key}": {example}', "key": key}
    )


def _call(given: Mapping[str, Any], unknown: list[str]) -> ToolCall:
    _note("tool_calls", given, _CALL_KEYS, unknown)
    inner = given.get("function")
    if isinstance(inner, Mapping):
        _note("tool_calls.function", inner, _FUNCTION_KEYS, unknown)
    else:
        inner = given
    name = text_value(inner, "name")
    if not name.strip():
        raise UsageError(
            "`{key}` must be a text", hint=_HINT, facts={"line": '{"name": "…", "input": {}}', "key": "name"}
        )
    value = inner.get("input", inner.get("arguments"))
    return ToolCall(name, _input(value), _id(given, "id"))


def _result(given: Mapping[str, Any], unknown: list[str]) -> ToolResult:
    _note("tool_results", given, _RESULT_KEYS, unknown)
    call = _id(given, "tool_use_id") or _id(given, "tool_call_id")
    return ToolResult(call, _content(given.get("content"), unknown), _is_ok(given))


def _is_ok(given: Mapping[str, Any]) -> bool:
    return not given.get("is_error")


def _id(given: Mapping[str, Any], key: str) -> str:
    value = given.get(key)
    return "" if value is None else str(value)


def _input(value: object) -> str:
    """Return the input of a call as one line of JSON; a text that is no JSON object stays as it is."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value or "{}"
        if not isinstance(parsed, dict | list):
            return value
        value = parsed
    return json.dumps({} if value is None else value, ensure_ascii=False)


class _Blocks(NamedTuple):
    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]


def _read_blocks(given: Sequence[object], unknown: list[str]) -> _Blocks:
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[ToolResult] = []
    for one in _objects(given, "content"):
        kind = one.get("type", "text")
        if kind == "text":
            texts.append(text_value(one, "text"))
        elif kind == "tool_use":
            calls += read_calls([one], unknown)
        elif kind == "tool_result":
            results += read_results([one], unknown)
        else:
            texts.append(f"[{kind}]")
            unknown.append(f"content.{kind}")
    return _Blocks("\n".join(texts), tuple(calls), tuple(results))


def _content(value: object, unknown: list[str]) -> str:
    """Return the content of a result as text."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, Mapping) and "type" in one for one in value):
        return _read_blocks(value, unknown).text
    return json.dumps(value, ensure_ascii=False)


def _note(where: str, given: Mapping[str, Any], known: frozenset[str], unknown: list[str]) -> None:
    unknown += [f"{where}.{key}" for key in given if key not in known]
