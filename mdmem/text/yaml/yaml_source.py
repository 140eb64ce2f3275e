"""Parses YAML with positions, and reports dangerous parts.

PyYAML's event stream carries exact offsets. Values follow YAML 1.2's core schema, so that `on`, `12:30`,
`2026-01-02` and `0123` stay text. Aliases, anchors and tags are problems: an alias can expand to gigabytes, and a tag
can name code. No values are built until all events are checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import yaml

from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

Plain: TypeAlias = "str | int | float | bool | list[Plain] | dict[str, Plain] | None"

_INT = pattern(r"[-+]?(0|[1-9][0-9]*)\Z")
_FLOAT = pattern(r"[-+]?(\.[0-9]+|(0|[1-9][0-9]*)(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
# These bound recursion and work; no front matter of a memory is deeper or longer, so they are no settings.
_DEEPEST = 32
_LONGEST = 100_000
# Contexts of an error whose mistake is at their beginning: what is never closed is noticed lines later.
_OPEN = ("flow sequence", "flow mapping", "quoted scalar", "simple key")

_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Node(NamedTuple):
    """A YAML value with its span in the document."""

    value: str | int | float | bool | list[Node] | dict[str, Node] | None
    span: Span
    key: Span | None = None  # the span of the key, for a value of a mapping

    def plain(self) -> Plain:
        """Return the value as Python types."""
        if isinstance(self.value, dict):
            return {key: node.plain() for key, node in self.value.items()}
        if isinstance(self.value, list):
            return [node.plain() for node in self.value]
        return self.value


class YamlProblem(NamedTuple):
    """A problem in YAML: `broken`, `alias`, `anchor`, `tag`, `duplicate`, `key`, `too-deep`, `too-long`."""

    kind: str
    span: Span
    detail: str


def read_yaml(text: str, offset: int = 0) -> tuple[Node | None, tuple[YamlProblem, ...]]:
    """Read one YAML document; `offset` is where its text begins in the file.

    Returns the root (None when broken or empty) and every problem found. A document with an alias, an anchor, a tag
    or too much depth has no root.
    """
    whole = Span(offset, offset + len(text))
    if len(text) > _LONGEST:
        return None, (YamlProblem("too-long", whole, str(len(text))),)
    events: list[yaml.Event] = []
    problems: list[YamlProblem] = []
    try:
        problems += _dangers(_collect(text, events), offset)
    except yaml.MarkedYAMLError as error:
        mark = (str(error.context).endswith(_OPEN) and error.context_mark) or error.problem_mark
        at = mark.index if mark is not None else 0
        where = Span(offset + min(at, len(text)), offset + min(at + 1, len(text)))
        return None, (YamlProblem("broken", where, error.problem or "unreadable"),)
    except (yaml.YAMLError, UnicodeEncodeError):
        return None, (YamlProblem("broken", whole, "unreadable characters"),)
    if problems:
        return None, tuple(problems)
    stream = iter(events)
    for event in stream:
        if isinstance(event, yaml.DocumentStartEvent):
            return _build(next(stream), stream, offset, problems), tuple(problems)
    return None, ()


def _span(event: yaml.Event, offset: int) -> Span:
    start, end = event.start_mark, event.end_mark
    return Span(offset + (start.index if start else 0), offset + (end.index if end else 0))


def _collect(text: str, events: list[yaml.Event]) -> Iterator[yaml.Event]:
    for event in yaml.parse(text, Loader=_Loader):
        events.append(event)
        yield event


def _dangers(events: Iterator[yaml.Event], offset: int) -> Iterator[YamlProblem]:
    """Check the events while they are read; stop at too much depth, because the scanner's work grows with it."""
    depth = documents = 0
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents == 2:
                yield YamlProblem("broken", _span(event, offset), "a second document begins")
        elif isinstance(event, yaml.AliasEvent):
            yield YamlProblem("alias", _span(event, offset), str(event.anchor))
        elif isinstance(event, yaml.ScalarEvent | yaml.CollectionStartEvent):
            if event.anchor:
                yield YamlProblem("anchor", _span(event, offset), event.anchor)
            if event.tag:
                yield YamlProblem("tag", _span(event, offset), event.tag)
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth == _DEEPEST:
                yield YamlProblem("too-deep", _span(event, offset), str(depth))
                return
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _build(event: yaml.Event, stream: Iterator[yaml.Event], offset: int, problems: list[YamlProblem]) -> Node:
    if isinstance(event, yaml.ScalarEvent):
        return Node(_scalar(event), _span(event, offset))
    start = _span(event, offset).start
    if isinstance(event, yaml.SequenceStartEvent):
        items: list[Node] = []
        for child in stream:
            if isinstance(child, yaml.SequenceEndEvent):
                return Node(items, Span(start, _span(child, offset).end))
            items.append(_build(child, stream, offset, problems))
    members: dict[str, Node] = {}
    for child in stream:
        if isinstance(child, yaml.MappingEndEvent):
            return Node(members, Span(start, _span(child, offset).end))
        key = _build(child, stream, offset, problems)
        if not isinstance(child, yaml.ScalarEvent):
            problems.append(YamlProblem("key", key.span, ""))
        value = _build(next(stream), stream, offset, problems)
        name = child.value if isinstance(child, yaml.ScalarEvent) else str(key.plain())
        if name in members:
            problems.append(YamlProblem("duplicate", key.span, name))
        members[name] = value._replace(key=key.span)
    return Node(members, Span(start, start))


def _scalar(event: yaml.ScalarEvent) -> str | int | float | bool | None:
    text = event.value
    if not event.implicit[0]:
        return text
    if text in _NULLS:
        return None
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= 20:  # a longer run of digits is an identifier, and int() of it is slow
        if _INT.match(text):
            return int(text)
        if _FLOAT.match(text):
            return float(text)
    return text


def scalar(value: str | int) -> str:
    """Return a value as YAML that reads back unchanged: text is plain if possible, else in double quotes."""
    text = str(value)
    if isinstance(value, int):
        return text
    plain = text.isprintable() and not text.startswith(" ") and not text.endswith(" ")
    if not text or (plain and _plain(text)):
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """Return a text as a YAML scalar in double quotes (YAML 1.2, 7.3.1)."""
    return '"' + "".join(_escaped(text)) + '"'


def _escaped(text: str) -> Iterator[str]:
    for char in text:
        if char.isprintable():
            yield f"\\{char}" if char in '"\\' else char
        else:
            yield f"\\U{ord(char):08x}"


def _plain(text: str) -> bool:
    root, problems = read_yaml(f"key: {text} # \n")
    return not problems and root is not None and root.plain() == {"key": text}
