"""Put values into a JSON text with comments, and take them out again; every other byte stays.

Nothing is parsed and written back: a value is inserted behind the last one of its object or array, in the indentation
of its neighbours. What was inserted is found again word for word.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mdmem.agents.connect.model import Insertion, JsonEntry

_SPACE = re.compile(r"(?:[\s\ufeff]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_SCALAR = re.compile(r"[^\s,\]}\[{:/\"]+")
_MOST_DEPTH = 100


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


def insert(text: str, entry: JsonEntry) -> Insertion | None:
    """Return the insertion that puts a value into a JSON text; None if the same value stands there.

    Raises:
        ValueError: the text is no JSON, something else stands there, or a key on the way is no object.
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
        raise ValueError("another type")
    if (there := _there(text, node, name, value)) is None:
        return _insertion(text, node, name, value)
    if not there:
        raise ValueError("taken")
    return None


def _there(text: str, node: JsonNode, name: str, value: object) -> bool | None:
    """Return whether the value stands there; None if nothing does."""
    if node.members is not None:
        found = node.members.get(name)
        return None if found is None else _is(text, found, value)
    return True if any(_is(text, one, value) for one in node.items or ()) else None


def _is(text: str, node: JsonNode, value: object) -> bool:
    try:
        return bool(json.loads(text[node.start : node.end]) == value)
    except ValueError:  # it contains a comment
        return False


def _insertion(text: str, node: JsonNode, name: str, value: object) -> Insertion:
    """Return the insertion behind the last value of a container."""
    newline = "\r\n" if "\r\n" in text else "\n"
    inner = _inner(node)
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


def without_entries(text: str, entered: Mapping[str, Any]) -> str | None:
    """Return the text without what the record of a file says was entered; None if it was changed since.

    An agent that writes its settings anew keeps the values and not their form: then they are found by their place.
    """
    entries = [(JsonEntry(tuple(keys), value, name), had) for keys, value, name, had in entered.get("entries", ())]
    taken = take_out(text, [Insertion(*one) for one in entered["insertions"]])
    if not entries:
        return taken
    try:
        taken = _without_values(text, entries) if taken is None else taken
        if taken is not None:
            read_json(taken)
    except ValueError:
        return None
    return taken


def _without_values(text: str, entries: Sequence[tuple[JsonEntry, int]]) -> str | None:
    """Return the text without values, and without what was made for them and is empty then."""
    for entry, had in reversed(entries):
        node = _at(text, entry.keys)
        if node is None:
            return None
        inner = _inner(node)
        wanted = [(node.members or {}).get(entry.name)] if entry.name else inner
        found = next((one for one in wanted if one and _is(text, one, entry.value)), None)
        if found is None:
            return None
        text = _cut(text, node, inner.index(found))
        for depth in range(len(entry.keys), had, -1):
            parent, made = _at(text, entry.keys[: depth - 1]), _at(text, entry.keys[:depth])
            if parent and made and not _inner(made):
                text = _cut(text, parent, _inner(parent).index(made))
    return text


def present_keys(text: str, entry: JsonEntry) -> int:
    """Return how many of the objects that shall contain a value are there, from the outermost on."""
    return next((depth for depth in range(len(entry.keys), 0, -1) if _at(text, entry.keys[:depth])), 0)


def _at(text: str, keys: Sequence[str]) -> JsonNode | None:
    node: JsonNode | None = read_json(text)
    for key in keys:
        node = (node.members or {}).get(key) if node else None
    return node


def _inner(node: JsonNode) -> list[JsonNode]:
    return [*(node.members or {}).values(), *(node.items or ())]


def _cut(text: str, container: JsonNode, at: int) -> str:
    """Return the text without one value of a container, its key and one comma."""
    inner = _inner(container)
    if at:
        return text[: inner[at - 1].end] + text[inner[at].end :]
    end = _skip_comma(text, inner[0].end) if len(inner) > 1 or container.comma else container.end - 1
    return text[: container.start + 1] + text[end:]


def take_out(text: str, insertions: Sequence[Insertion]) -> str | None:
    """Return the text without what was inserted, the last insertion first; None if it does not stand there so.

    A text that was moved by changes before it is found as long as it stands there once.
    """
    for offset, inserted in reversed(insertions):
        at = offset if text.startswith(inserted, offset) else text.find(inserted)
        if at < 0 or (at != offset and text.count(inserted) != 1):
            return None
        text = text[:at] + text[at + len(inserted) :]
    return text
