"""MM312: a field whose value is not of its kind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from mdmem.core.pattern import pattern
from mdmem.core.template import FieldRule
from mdmem.linter.rule import Finding, Rule, Subject, Words, quote

_NUMBER = pattern(r"[+-]?\d+(?:\.\d+)?")
_ID = pattern(r"\^?[A-Za-z0-9-]+|\[\[[^\[\]]*#\^[A-Za-z0-9-]+\]\]")
_SOURCE = pattern(
    r"(?:chat|tool):[^\s,;]+|file:[^#\r\n]+(?:#L\d+(?:-L?\d+)?)?|https?://\S+|sessions?/\S+|session:\S+", re.IGNORECASE
)


def check(subject: Subject) -> Iterator[Finding]:
    """Find values that cannot be read as what the template says they are."""
    for item in subject.items:
        for field in item.parts.fields:
            rule = item.rule.fields.get(field.key)
            if rule is None or (rule.required and not field.value):
                continue
            if not _fits(field.value, rule):
                yield Finding(item.at(field.value_span), {"field": quote(field.key), "example": _example(rule)})


def _fits(value: str, rule: FieldRule) -> bool:
    if rule.type == "choice":
        return value in rule.choices
    shape = _SHAPES.get(rule.type)
    return bool(shape.fullmatch(value) if shape else _FITS[rule.type](value))


def _is_date(value: str) -> bool:
    import datetime as dt

    try:
        return bool(dt.date.fromisoformat(value)) and "-" in value
    except ValueError:
        return False


def _is_datetime(value: str) -> bool:
    import datetime as dt

    try:
        return bool(dt.datetime.fromisoformat(value)) and "-" in value
    except ValueError:
        return False


def _is_duration(value: str) -> bool:
    from mdmem.core.duration import read_duration  # few fields are one

    return bool(read_duration(value))


_SHAPES = {"number": _NUMBER, "source": _SOURCE, "id": _ID}
_FITS: dict[str, Callable[[str], object]] = {
    "text": lambda _: True,
    "word": lambda value: len(value.split()) == 1,
    "date": _is_date,
    "datetime": _is_datetime,
    "duration": _is_duration,
    "path": lambda value: bool(value) and value.isprintable(),
}
_EXAMPLES = {
    "word": "word",
    "date": "2026-02-13",
    "datetime": "2026-02-13T10:30",
    "duration": "7d, 2w, 30s",
    "number": "42",
    "source": "chat:42, tool:7, file:src/main.py#L3",
    "path": "artifacts/42.md",
    "id": "^k7f3",
}


def _example(rule: FieldRule) -> str:
    return ", ".join(rule.choices) if rule.type == "choice" else _EXAMPLES[rule.type]


RULE = Rule(
    "MM312",
    "invalid-field",
    "warning",
    check,
    en=Words("the value of «{field}» cannot be understood", "write it like this: {example}"),
    zh=Words("看不懂字段「{field}」的值", "请这样写：{example}"),
)
