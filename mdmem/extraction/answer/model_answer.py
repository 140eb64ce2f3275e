"""Read what a model answered about some rounds: a list of statements as JSON, or NONE; no field is trusted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mdmem.extraction.model import FactType, Reason
from mdmem.generation.answer_parser import json_values, without_thinking
from mdmem.generation.model import PlanProblem
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

_NONE = pattern(r"(?i)[\s\"'`*]*(?:json\s*)?none[\s\"'`*.。!]*\Z")
_LISTS = ("items", "memories", "facts", "results", "data", "statements")
_CONTENT = ("content", "text", "statement", "memory", "fact")
_TYPES: Mapping[str, FactType] = {
    "fact": "fact", "context": "fact", "preference": "preference", "rule": "rule", "constraint": "rule",
    "skill": "skill", "experience": "skill", "error": "error", "persona_trait": "persona_trait",
    "persona": "persona_trait", "事实": "fact", "偏好": "preference", "规则": "rule", "技能": "skill", "经验": "skill",
    "错误": "error", "教训": "error",
}  # fmt: skip
_TRUE = ("true", "yes", "1", "是", "对")
_MOST = 400  # characters of a subject's or predicate's raw value that are looked at


class Statement(NamedTuple):
    """One statement of a model; nothing of it is proved yet."""

    type: FactType
    subject: str
    predicate: str
    text: str
    importance: float
    is_update: bool = False
    replaces: str = ""  # the id of the line that it replaces, as the model says


class Statements(NamedTuple):
    """An answer: what can be read of it, and how much could not."""

    items: tuple[Statement, ...]
    dropped: Counter[Reason]


def parse_statements(text: str, max_chars: int) -> Statements | PlanProblem:
    """Return the statements of an answer, or why there are none; NONE is an answer without any.

    Args:
        text: what the model wrote.
        max_chars: a longer answer is not read at all.
    """
    if _NONE.match(without_thinking(text)):
        return Statements((), Counter())
    values = json_values(text, max_chars)
    if isinstance(values, PlanProblem):
        return values
    rows = list(_rows(values))
    items = tuple(one for row in rows if (one := _statement(row)))
    if rows and not items:
        return PlanProblem("answer-shape")
    lost = len(rows) - len(items)
    return Statements(items, Counter({"malformed": lost} if lost else {}))


def _rows(values: list[Any]) -> Iterator[object]:
    """Return the single statements of lists, of objects that hold a list, and of objects side by side."""
    for value in values:
        held = [key for key in _LISTS if isinstance(value.get(key), list)] if isinstance(value, dict) else []
        yield from value if isinstance(value, list) else value[held[0]] if held else [value]


def _statement(row: object) -> Statement | None:
    if not isinstance(row, dict):
        return None
    found = next((value for key in _CONTENT if (value := _word(row.get(key)))), "")
    if not found:
        return None
    kind = _word(row.get("type")).casefold().replace("-", "_").replace(" ", "_")
    return Statement(
        _TYPES.get(kind, "fact"), _word(row.get("subject"))[:_MOST], _word(row.get("predicate"))[:_MOST], found,
        _share(row.get("importance")), _flag(row.get("is_update")), _word(row.get("replaces"))[:_MOST].lstrip("^"),
    )  # fmt: skip


def _word(value: object) -> str:
    """Return a text as one line; empty for anything else, and for what cannot be written as UTF-8."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    text = one_line(str(value)).strip()
    return "" if any("\ud800" <= char <= "\udfff" for char in text) else text


def _share(value: object) -> float:
    """Return a number from 0 to 1: of a percentage or a mark out of ten its share, of what is no number the middle."""
    try:
        number = float(value.strip().rstrip("%％")) if isinstance(value, str) else float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return 0.5
    if math.isnan(number):
        return 0.5
    if 1 < number <= 10:
        number /= 10
    elif number > 10:
        number /= 100
    return min(1.0, max(0.0, number))


def _flag(value: object) -> bool:
    return value is True or (isinstance(value, str | int | float) and str(value).strip().casefold() in _TRUE)
