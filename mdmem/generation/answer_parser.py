"""Read the answers of a model. Pure.

The parser accepts the usual wrappings of JSON: code fences, `<tool>` blocks, lists of tool calls, arguments as a JSON
string, raw control characters. Calls of tools that only read are skipped (F029). Ambiguous answers are refused:
truncated JSON, several answers, duplicate keys.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mdmem.generation.model import Operation, PlanProblem
from mdmem.text.pattern import pattern

_TOOL = "memory_edit"
_READS = ("memory_read", "read", "memory_check")  # tools that a keeper may call before it edits
_LISTS = ("operations", "tool_calls", "calls", "tools", "edits")
_DEEPEST = 24  # levels of nested brackets
_OPEN = pattern(r"[\[{]")
_BLOCK = pattern(r"<(tool(?:_?call)?)>\s*(?:`{3,}\w*\s*)?")
_BLOCK_END = pattern(r"\s*(?:`{3,}\s*)?</(tool(?:_?call)?)>")
_BETWEEN = pattern(r"(?:[\s,;]|`{3,}(?:json|tool)?)*")  # between consecutive values
_THINKING = pattern(r"(?s)\A\s*<think(?:ing)?>.*?</think(?:ing)?>")


class _RefusedAnswer(Exception):  # noqa: N818 - carries a problem to parse_answer
    def __init__(self, kind: str, **facts: object) -> None:
        super().__init__(kind)
        self.problem = PlanProblem(kind, facts)


def parse_answer(text: str, max_chars: int) -> tuple[Operation, ...] | PlanProblem:
    """Return the operations of an answer, or the problem that makes it unusable.

    Args:
        text: the answer of the model.
        max_chars: longer answers are refused unread.
    """
    values = json_values(text, max_chars)
    if isinstance(values, PlanProblem):
        return values
    try:
        calls = [one for value in values for one in _calls(value)]
        return tuple(_operation(one) for one in calls if _name(one) not in _READS)
    except _RefusedAnswer as refusal:
        return refusal.problem


def json_values(text: str, max_chars: int) -> list[Any] | PlanProblem:
    """Return the JSON values of an answer, however they are wrapped, or why there are none."""
    if len(text) > max_chars:
        return PlanProblem("answer-too-long", {"chars": len(text), "max": max_chars})
    answer = without_thinking(text)
    if not answer:
        return PlanProblem("answer-empty")
    try:
        return _values(answer)
    except _RefusedAnswer as refusal:
        return refusal.problem
    except RecursionError:
        return PlanProblem("answer-no-json")


def without_thinking(text: str) -> str:
    """Return an answer without the thoughts that precede it."""
    return _THINKING.sub("", text).strip().lstrip("\ufeff").strip()


def _values(text: str) -> list[Any]:
    """Return the JSON values of a text: those of `<tool>` blocks, one value, or several consecutive objects."""
    if _is_too_deep(text):
        raise _RefusedAnswer("answer-no-json")
    return _tool_blocks(text) or _consecutive_values(text)


def _tool_blocks(text: str) -> list[Any]:
    """Return the values of the `<tool>` blocks of a text, one per block; text between blocks is ignored."""
    found: list[Any] = []
    block = _BLOCK.search(text)
    while block:
        value, end = _decoded(text, block.end())
        closed = _BLOCK_END.match(text, end)
        if closed is None or closed.group(1) != block.group(1):
            raise _RefusedAnswer("answer-half")
        found.append(value)
        block = _BLOCK.search(text, closed.end())
    return found


def _consecutive_values(text: str) -> list[Any]:
    start = _OPEN.search(text)
    if start is None:
        raise _RefusedAnswer("answer-no-json")
    found: list[Any] = []
    at = start.start()
    while text[at : at + 1] in ("{", "["):
        value, end = _decoded(text, at)
        found.append(value)
        between = _BETWEEN.match(text, end)
        at = between.end() if between else end
    if _OPEN.search(text, at) or (len(found) > 1 and not all(isinstance(value, dict) for value in found)):
        raise _RefusedAnswer("answer-several")
    return found


def _decoded(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at an offset, and the offset of its end."""
    try:
        return _DECODER.raw_decode(text, at)
    except ValueError as error:
        raise _RefusedAnswer("answer-half" if _unfinished(text[at:]) else "answer-no-json") from error


def _calls(value: Any, depth: int = 0) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - any JSON value
    """Yield the calls in a value: a list of calls, an object with such a list, or one call."""
    if isinstance(value, list) and depth < 3:
        for one in value:
            yield from _calls(one, depth + 1)
        return
    if not isinstance(value, dict):
        raise _RefusedAnswer("answer-shape")
    list_keys = [key for key in _LISTS if isinstance(value.get(key), list)]
    if list_keys and "content" not in value:
        for key in list_keys:
            yield from _calls(value[key], depth + 1)
        return
    yield value


def _operation(call: dict[str, Any]) -> Operation:
    name = _name(call)
    if name not in ("", _TOOL):
        raise _RefusedAnswer("answer-tool", tool=name[:40])
    arguments = _arguments(call)
    values = [arguments.get(key) for key in ("path", "section", "content")]
    texts = [_text(value) for value in values]
    if None in texts[1:]:
        raise _RefusedAnswer("answer-shape")
    if any("\ud800" <= char <= "\udfff" for text in texts if text for char in text):
        raise _RefusedAnswer("answer-unicode")
    return Operation(texts[0] or "", (texts[1] or "").strip().strip("[]"), texts[2] or "")


def _name(call: dict[str, Any]) -> str:
    function = call.get("function")
    inner = function.get("name") if isinstance(function, dict) else function
    for value in (call.get("tool"), call.get("name"), call.get("tool_name"), inner, call.get("op")):
        if isinstance(value, str):
            return value.rpartition(".")[2]
    return ""


def _arguments(call: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call, under any of their usual keys; the call itself if there are none."""
    function = call.get("function")
    holders = [call, function] if isinstance(function, dict) else [call]
    for holder in holders:
        for key in ("arguments", "args", "parameters", "input", _TOOL):
            value = holder.get(key)
            if isinstance(value, str):
                value = _inner(value)
            if isinstance(value, dict):
                return value
    return call


def _inner(text: str) -> Any:  # noqa: ANN401 - any JSON value
    try:
        return json.loads(text, object_pairs_hook=_unique, strict=False, parse_constant=_constant)
    except ValueError as error:
        raise _RefusedAnswer("answer-half") from error


def _text(value: object) -> str | None:
    """Return a string; a list of strings becomes one per line; None for anything else."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    return value if isinstance(value, str) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({key for key, _ in pairs}) < len(pairs):
        raise _RefusedAnswer("answer-key-twice")
    return dict(pairs)


def _constant(name: str) -> None:
    raise _RefusedAnswer("answer-shape", value=name)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, strict=False, parse_constant=_constant)


def _unfinished(text: str) -> bool:
    """Return whether a JSON text is truncated: it opens more brackets than it closes."""
    bare = pattern(r'"(?:[^"\\]|\\.)*"?').sub("", text)
    return sum(bare.count(char) for char in "[{") > sum(bare.count(char) for char in "]}")


def _is_too_deep(text: str) -> bool:
    level = most = 0
    for char in text:
        if char in "[{":
            level += 1
            most = max(most, level)
        elif char in "]}":
            level -= 1
    return most > _DEEPEST
