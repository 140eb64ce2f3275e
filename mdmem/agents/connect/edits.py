"""Edits of settings files: values of a JSON text with comments, and tables behind a TOML text; no other byte changes.

No JSON is parsed and written back: a value is inserted behind the last one of its object or array, in the indentation
of its neighbours.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from mdmem.agents.connect.model import Insertion, JsonEntry

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}\[{:/\"]+")
_MOST_DEPTH = 100


class UnfitSettingsError(ValueError):
    """A place of a settings file has no room for an entry: `key` names the message, `facts` say where."""

    def __init__(self, key: str, **facts: object) -> None:
        super().__init__(key)
        self.key, self.facts = key, facts


class JsonNode(NamedTuple):
    """A value in a JSON text, and where it stands."""

    start: int
    end: int
    members: dict[str, JsonNode] | None = None  # of an object
    items: list[JsonNode] | None = None  # of an array
    comma: bool = False  # whether a comma follows the last one


def read_json(text: str) -> JsonNode:
    """Return the value of a JSON text, which may have comments and commas at the end of lists.

    Raises:
        ValueError: it is no JSON.
    """
    node, at = _value(text, _skip(text, 0), 0)
    if _skip(text, at) != len(text):
        raise ValueError("text after the value")
    return node


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _value(text: str, at: int, depth: int) -> tuple[JsonNode, int]:
    if depth > _MOST_DEPTH:
        raise ValueError("nested too deep")
    if text[at : at + 1] in ("{", "["):
        return _container(text, at, depth)
    match = _STRING.match(text, at) or _SCALAR.match(text, at)
    if not match:
        raise ValueError("no value")
    json.loads(match.group())
    return JsonNode(at, match.end()), match.end()


def _container(text: str, start: int, depth: int) -> tuple[JsonNode, int]:
    """Read an object or an array."""
    is_object = text[start] == "{"
    members: dict[str, JsonNode] = {}
    items: list[JsonNode] = []
    at, comma = _skip(text, start + 1), True
    while text[at : at + 1] != ("}" if is_object else "]"):
        if not comma:
            raise ValueError("no comma")
        name = ""
        if is_object:
            key = _STRING.match(text, at)
            at = _skip(text, key.end()) if key else at
            if not key or text[at : at + 1] != ":":
                raise ValueError("no key")
            name, at = json.loads(key.group()), _skip(text, at + 1)
        node, at = _value(text, at, depth + 1)
        members[name] = node
        items.append(node)
        at = _skip(text, at)
        comma = text[at : at + 1] == ","
        at = _skip(text, at + comma)
    end = at + 1
    trailing = comma and bool(items)
    return JsonNode(start, end, members if is_object else None, None if is_object else items, trailing), end


def value_of(text: str, node: JsonNode | None = None) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a node, or of a whole text, without its comments. Raises ValueError."""
    node = node or read_json(text)
    if node.members is not None:
        return {name: value_of(text, one) for name, one in node.members.items()}
    if node.items is not None:
        return [value_of(text, one) for one in node.items]
    return json.loads(text[node.start : node.end])


def line_of(text: str, at: int) -> int:
    """Return the line of an offset, counted from 1."""
    return text.count("\n", 0, at) + 1


def insert(text: str, entry: JsonEntry) -> Insertion | None:
    """Return the insertion that puts a value into a JSON text; None if the same value stands there.

    Raises:
        UnfitSettingsError: there is another value at that place, or a key on the way is not an object.
        ValueError: the text is not valid JSON.
    """
    node, left = read_json(text), list(entry.keys)
    while left and node.members is not None and left[0] in node.members:
        node = node.members[left.pop(0)]
    missing = [*left, entry.name] if entry.name else left
    value: Any = [entry.value] if left and not entry.name else entry.value
    for key in reversed(missing[1:]):
        value = {key: value}
    name = missing[0] if missing else ""
    if (node.members if missing else node.items) is None:
        keys = entry.keys[: len(entry.keys) - len(left)]
        if not keys:
            raise ValueError("not an object")
        key = "connect.no-object" if missing else "connect.no-list"
        raise UnfitSettingsError(key, place=".".join(keys), line=line_of(text, node.start))
    if (there := _there(text, node, name, value)) is None:
        return _insertion(text, node, name, value)
    if not there:
        raise UnfitSettingsError("connect.taken")
    return None


def _there(text: str, node: JsonNode, name: str, value: object) -> bool | None:
    """Return whether the value stands there; None if nothing does."""
    if node.members is not None:
        found = node.members.get(name)
        return None if found is None else bool(value_of(text, found) == value)
    return True if any(value_of(text, one) == value for one in node.items or ()) else None


def _insertion(text: str, node: JsonNode, name: str, value: object) -> Insertion:
    """Return the insertion behind the last value of a container."""
    newline = "\r\n" if "\r\n" in text else "\n"
    inner = inner_nodes(node)
    line = text[text.rfind("\n", 0, node.start) + 1 : node.start]
    outer = line[: len(line) - len(line.lstrip())]
    step = _step(text)
    indent = outer + step
    written = json.dumps(value, ensure_ascii=False, indent=step).replace("\n", newline + indent)
    item = f"{json.dumps(name)}: {written}" if name else written
    if not inner:
        return Insertion(node.start + 1, f"{newline}{indent}{item}{newline}{outer}")
    if node.comma:
        return Insertion(_skip_comma(text, inner[-1].end), f"{newline}{indent}{item},")
    return Insertion(inner[-1].end, f",{newline}{indent}{item}")


def _skip_comma(text: str, at: int) -> int:
    return _skip(text, at) + 1


def _step(text: str) -> str:
    """Return the indentation of one level: that of the first line that has one, else two spaces."""
    match = re.search(r"^([ \t]+)\S", text, re.MULTILINE)
    return match.group(1) if match else "  "


def apply(text: str, insertion: Insertion) -> str:
    """Return the text with an insertion."""
    return text[: insertion.offset] + insertion.text + text[insertion.offset :]


def present_keys(text: str, entry: JsonEntry) -> int:
    """Return how many of the objects that shall contain a value are there, from the outermost on."""
    return next((depth for depth in range(len(entry.keys), 0, -1) if node_at(text, entry.keys[:depth])), 0)


def node_at(text: str, keys: Sequence[str]) -> JsonNode | None:
    """Return the node that keys lead to; None if there is none. Raises ValueError."""
    node: JsonNode | None = read_json(text)
    for key in keys:
        node = (node.members or {}).get(key) if node else None
    return node


def inner_nodes(node: JsonNode) -> list[JsonNode]:
    """Return the nodes that an object or an array contains."""
    return [*(node.members or {}).values(), *(node.items or ())]


def cut(text: str, container: JsonNode, at: int) -> str:
    """Return the text without one value of a container, its key and one comma; comments beside it stay."""
    inner = inner_nodes(container)
    end = inner[at].end
    if at:
        comma = _skip(text, inner[at - 1].end)
        gap = text[comma + 1 : _skip(text, comma + 1)]
        return text[:comma] + _comments(gap, text[end : end + 1]) + text[end:]
    start = container.start + 1
    gap = _comments(text[start : _skip(text, start)], text[end : end + 1])
    if len(inner) > 1 or container.comma:
        return text[:start] + gap + text[_skip_comma(text, end) :]
    tail = text[end : container.end - 1]
    return text[:start] + gap + (tail if tail.strip() else "") + text[container.end - 1 :]


def _comments(gap: str, following: str) -> str:
    """Return what stays of the gap before a value that is cut out: all if it has comments, else nothing."""
    if not gap.strip():
        return ""
    return gap.rstrip() if following in ("\r", "\n") else gap


def check_append(before: str, added: str, after: str) -> None:
    """Refuse to append a table to a TOML text that is broken, or that has or would get another meaning there.

    Raises:
        UnfitSettingsError: the table exists already, or nothing can be added to it.
        ValueError: the text is no TOML.
    """
    ((table, entries),) = _read_toml(added).items()
    if _toml_table(_read_toml(before), table).keys() & entries.keys():
        raise UnfitSettingsError("connect.taken")
    try:
        _read_toml(after)
    except ValueError as error:  # an inline table cannot be extended
        raise UnfitSettingsError("connect.inline") from error


def is_added_to(text: str, added: str, after: str) -> bool:
    """Return True if somebody added to an appended table: in `after`, which is without it, that would mean another.

    Raises:
        ValueError: one of the texts is no TOML.
    """
    ((table, entries),) = _read_toml(added).items()
    return _without_entries(text, table, entries) != _without_entries(after, table)


def _read_toml(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


def _toml_table(found: dict[str, Any], name: str) -> dict[str, Any]:
    table = found.get(name, {})
    if not isinstance(table, dict):
        raise ValueError("no table")  # noqa: TRY004 - one kind of error for every file that cannot be edited
    return table


def _without_entries(text: str, table: str, entries: Collection[str] = ()) -> dict[str, Any]:
    """Return the settings of a text without some entries of a table, and without that table if it is empty."""
    found = _read_toml(text)
    left = {name: one for name, one in _toml_table(found, table).items() if name not in entries}
    return {name: one for name, one in found.items() if name != table} | ({table: left} if left else {})
