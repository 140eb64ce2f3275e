"""Reads what a program says of a turn: its text or blocks, the tools that were called, and their results (K073, K141).

The forms are those of the common interfaces of models: `tool_calls` with `input` or with `arguments` as a string of
JSON, `tool_results`, blocks of `content`, and a message with the role `tool`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from mdmem.errors import UsageError

_R = TypeVar("_R")


class ToolCall(NamedTuple):
    """A call of a tool."""

    name: str
    input: str  # JSON, or a command as it was sent
    id: str = ""


class ToolResult(NamedTuple):
    """The result of a call."""

    call: str  # the id of the call
    content: str
    ok: bool | None = None  # None if it is not known
    exit_code: int | None = None  # None if the tool has none


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
    "token_estimate",  # of an export; it is counted anew
})  # fmt: skip
_CALL_KEYS = frozenset({"name", "input", "id", "arguments", "function", "type"})
_FUNCTION_KEYS = frozenset({"name", "arguments"})
_RESULT_KEYS = frozenset({"tool_use_id", "tool_call_id", "id", "content", "is_error", "exit_code", "type"})
_END_KEYS = frozenset({"end", "outcome"})


def read_record(data: Mapping[str, Any]) -> RecordLine:
    """Read a line; raises UsageError if a value has the wrong type."""
    unknown = [key for key in data if key not in _KEYS]
    key = "content" if "content" in data and "text" not in data else "text"
    content = data.get(key)
    is_silent = content is None and bool(data.get("tool_calls") or data.get("tool_results"))
    blocks = _read_blocks(content, unknown) if isinstance(content, list) else None
    text = blocks.text if blocks else "" if is_silent else text_value(data, key)
    calls = (*(blocks.calls if blocks else ()), *_readable(read_calls, data, "tool_calls", text, unknown))
    results = (*(blocks.results if blocks else ()), *_readable(read_results, data, "tool_results", text, unknown))
    if data.get("tool_call_id"):
        results = (*results, ToolResult(text_value(data, "tool_call_id"), text, _is_ok(data)))
        text = ""
    if tool := text_value(data, "tool", ""):
        text = f"{tool}: {text}"
    role = text_value(data, "role", "tool" if tool else None)
    at = text_value(data, "time", "") or text_value(data, "timestamp", "")
    return RecordLine(role, text, at, calls, results, tuple(dict.fromkeys(unknown)))


def _readable(
    read: Callable[[object, list[str]], tuple[_R, ...]], data: Mapping[str, Any], key: str, text: str,
    unknown: list[str],
) -> tuple[_R, ...]:  # fmt: skip
    """Read the calls or the results of a line; what is broken must not cost the text that stands beside it."""
    try:
        return read(data.get(key), unknown)
    except UsageError:
        if not text.strip():
            raise
        unknown.append(key)
        return ()


def unknown_end_keys(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys of a line that ends a session which mean nothing there."""
    return tuple(key for key in data if key not in _END_KEYS)


def text_value(data: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """Return the text of a key; raises UsageError if it is something else, or missing without a default."""
    value = data.get(key, default)
    if not isinstance(value, str):
        raise UsageError("`{key}` must be a text", hint=_HINT, facts={"line": _EXAMPLE, "key": key})
    return value


def read_calls(data: object, unknown: list[str] | None = None) -> tuple[ToolCall, ...]:
    """Read calls of tools: `[{"name", "input", "id"}]`, or with `arguments`, or as a string of JSON."""
    return tuple(_call(one, unknown if unknown is not None else []) for one in _objects(data, "tool_calls"))


def read_results(data: object, unknown: list[str] | None = None) -> tuple[ToolResult, ...]:
    """Read results of calls: `[{"tool_use_id", "content", "is_error"}]`, or as a string of JSON."""
    return tuple(_result(one, unknown if unknown is not None else []) for one in _objects(data, "tool_results"))


def _objects(data: object, key: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(data, str):
        try:
            data = json.loads(data) if data.strip() else None
        except (ValueError, RecursionError):
            raise _not_objects(key) from None
    found = [] if data is None else data
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


def _call(data: Mapping[str, Any], unknown: list[str]) -> ToolCall:
    _note("tool_calls", data, _CALL_KEYS, unknown)
    inner = data.get("function")
    if isinstance(inner, Mapping):
        _note("tool_calls.function", inner, _FUNCTION_KEYS, unknown)
    else:
        inner = data
    name = text_value(inner, "name")
    if not name.strip():
        raise UsageError(
            "`{key}` must be a text", hint=_HINT, facts={"line": '{"name": "…", "input": {}}', "key": "name"}
        )
    value = inner.get("input", inner.get("arguments"))
    return ToolCall(name, _input(value), _id(data, "id"))


def _result(data: Mapping[str, Any], unknown: list[str]) -> ToolResult:
    _note("tool_results", data, _RESULT_KEYS, unknown)
    call = _id(data, "tool_use_id") or _id(data, "tool_call_id") or _id(data, "id")
    code = data.get("exit_code")
    exit_code = code if isinstance(code, int) and not isinstance(code, bool) else None
    return ToolResult(call, _content(data.get("content"), unknown), _is_ok(data, exit_code), exit_code)


def _is_ok(data: Mapping[str, Any], exit_code: int | None = None) -> bool:
    return not data["is_error"] if "is_error" in data else not exit_code


def _id(data: Mapping[str, Any], key: str) -> str:
    value = data.get(key)
    return "" if value is None else str(value)


def _input(value: object) -> str:
    """Return the input of a call as one line of JSON; a text that is no JSON object stays as it is."""
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        if not isinstance(parsed, dict | list):
            return value
        value = parsed
    return json.dumps({} if value is None else value, ensure_ascii=False)


class _Blocks(NamedTuple):
    text: str
    calls: tuple[ToolCall, ...]
    results: tuple[ToolResult, ...]


def _read_blocks(data: Sequence[object], unknown: list[str]) -> _Blocks:
    texts: list[str] = []
    calls: list[ToolCall] = []
    results: list[ToolResult] = []
    for one in _objects(data, "content"):
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


def _note(where: str, data: Mapping[str, Any], known: frozenset[str], unknown: list[str]) -> None:
    unknown += [f"{where}.{key}" for key in data if key not in known]
