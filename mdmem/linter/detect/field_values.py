"""Checks the values of fields against the template, and finds the value that another spelling stands for.

Fields of entries and keys of front matter are checked by the same `FieldRule`.
"""

# `durations` is imported only for a field of that type.
from __future__ import annotations

import datetime as dt
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from mdmem.formats.limits import LIFETIME
from mdmem.formats.template import FieldRule, Template
from mdmem.linter.rule import Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_NUMBER = pattern(r"[+-]?\d+(?:\.\d+)?")
_ID = pattern(
    r"(?:[^\s\[\]#](?:[^\[\]#\r\n]*[^\s\[\]#])?#)?\^?[A-Za-z0-9-]+|\[\[[^\[\]]*#\^[A-Za-z0-9-]+\]\]"
)  # of this file, or of another
_SOURCE = pattern(
    r"(?:chat|tool):[^\s,;]+|file:[^#\r\n]+(?:#L\d+(?:-L?\d+)?)?|https?://\S+|sessions?/\S+|session:\S+", re.IGNORECASE
)
_DAY = pattern(r"(\d{4})([-/.年])(\d{1,2})([-/.月])(\d{1,2})(日?)(?:[T ]+(\d.*))?", re.ASCII)
_SIGNS = {"-": "-", "/": "/", ".": ".", "年": "月"}  # the second separator of a day, by its first


class Value(NamedTuple):
    """A value for which the template has a rule."""

    key: str
    text: str | None  # None for a list or a mapping
    span: Span
    rule: FieldRule


@lru_cache(maxsize=1)  # two rules read the values of the same file
def unfit(subject: Subject) -> tuple[tuple[Value, str], ...]:
    """Return the values that break their rule, each with the value that was meant, or an empty text."""
    if subject.template is None:
        return ()
    parts, values = subject.template.parts, (*_keys(subject, subject.template), *_fields(subject))
    wrong = [one for one in values if one.text is None or not fits(one.text, one.rule)]
    return tuple((one, meant(one.text, one.rule, parts) if one.text else "") for one in wrong)


def _fields(subject: Subject) -> Iterator[Value]:
    for item in subject.items:
        for field in item.parts.fields:
            rule = item.rule.fields.get(field.key) or _EVERYWHERE.get(field.key)
            if rule and (field.value or not rule.required):  # a required field without a value is reported by MM313
                start = field.span.of(item.entry.text).find(field.value, len(field.key) + 2) + field.span.start
                yield Value(field.key, field.value, item.at(Span(start, start + len(field.value))), rule)


def _keys(subject: Subject, template: Template) -> Iterator[Value]:
    """Yield the keys of the front matter that have a value."""
    front = subject.front if template.front_matter else None
    for key, rule in template.front_matter.items() if front else ():
        node = front.node(key) if front else None
        if node and node.value is not None:
            whole = isinstance(node.value, dict) or (isinstance(node.value, list) and rule.type != "list")
            yield Value(key, None if whole else str(node.value), node.span, rule)


def fits(value: str, rule: FieldRule) -> bool:
    """Return True if a value has the type, choice and range of its rule."""
    if rule.type == "choice":
        return value in rule.choices
    shape = _SHAPES.get(rule.type)
    return bool(shape.fullmatch(value) if shape else _FITS[rule.type](value)) and _in_range(value, rule)


def meant(value: str, rule: FieldRule, words: Mapping[str, tuple[str, ...]]) -> str:
    """Return the valid value of which this is another spelling; empty if that is not certain.

    `words` are the template's `parts`: the spellings of a choice, if it lists them.
    """
    plain = unicodedata.normalize("NFKC", value).strip()
    if rule.type == "choice":
        name = plain.casefold()
        spelled = {one.casefold(): choice for choice in rule.choices for one in (*words.get(choice, ()), choice)}
        return spelled.get(name, "")
    if rule.type in ("date", "datetime"):
        plain = _iso(plain)
    return plain if plain != value and fits(plain, rule) else ""


def example(rule: FieldRule) -> str:
    """Return what a value of this rule looks like: its choices, its range, or an example."""
    if rule.type == "choice":
        return ", ".join(rule.choices)
    if rule.least is not None and rule.most is not None:
        return f"{rule.least:g} … {rule.most:g}"
    if rule.least is not None:
        return f"≥ {rule.least:g}"
    return f"≤ {rule.most:g}" if rule.most is not None else _EXAMPLES[rule.type]


def _in_range(value: str, rule: FieldRule) -> bool:
    if rule.least is None and rule.most is None:
        return True
    number = float(value)
    return (rule.least is None or number >= rule.least) and (rule.most is None or number <= rule.most)


def _iso(text: str) -> str:
    """Return a day that is written year first, with its time, as ISO 8601; other text unchanged."""
    match = _DAY.fullmatch(text)
    if match is None or _SIGNS[match[2]] != match[4] or (match[2] == "年") != bool(match[6]):
        return text
    return f"{match[1]}-{int(match[3]):02}-{int(match[5]):02}" + (f" {match[7]}" if match[7] else "")


def _is_iso(value: str, parse: Callable[[str], dt.date]) -> bool:
    try:
        return bool(parse(value)) and "-" in value
    except ValueError:
        return False


def _is_duration(value: str) -> bool:
    from mdmem.settings.durations import read_duration

    return bool(read_duration(value))


_EVERYWHERE = {LIFETIME: FieldRule("duration")}  # fields that count in any memory, whether its template lists them
_SHAPES = {"number": _NUMBER, "source": _SOURCE, "id": _ID}
_FITS: dict[str, Callable[[str], object]] = {
    "text": lambda _: True,
    "list": lambda _: True,
    "word": lambda value: len(value.split()) == 1,
    "date": partial(_is_iso, parse=dt.date.fromisoformat),
    "datetime": partial(_is_iso, parse=dt.datetime.fromisoformat),
    "duration": _is_duration,
    "path": lambda value: bool(value) and value.isprintable(),
}
_EXAMPLES = {
    "text": "one line",
    "word": "word",
    "date": "2026-02-13",
    "datetime": "2026-02-13 10:30",
    "duration": "7d, 2w, 30s",
    "number": "42",
    "source": "chat:42, tool:7, file:src/main.py#L3",
    "path": "artifacts/42.md",
    "id": "^k7f3",
    "list": "[docs/a.md, SQLite]",
}
