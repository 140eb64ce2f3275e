"""Summarizes data: JSON and JSON Lines by shape, keys and values; tables by columns, rows and ranges."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from typing import Any

from mdmem.artifacts.summaries.output_lines import OutputLines, some
from mdmem.messages.catalog import say
from mdmem.settings.tables import ArtifactSettings
from mdmem.text.pattern import pattern

_ALONE = 160  # characters of a value shown on a line of its own
_FEW = 20  # first lines that must be JSON for the output to count as JSON Lines
_TELLING = frozenset(
    ("error", "errors", "message", "msg", "code", "status", "state", "ok", "success", "id", "name", "title", "count",
     "total", "result", "version", "url", "path", "level", "错误", "消息", "状态", "名称", "结果", "数量")
)  # fmt: skip


def summarize_json(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Parse the output as JSON or JSON Lines; empty if it only resembles JSON."""
    first = next((line.lstrip() for line in seen.lines if line.strip()), "")
    if first[:1] not in ("{", "["):
        return []
    if seen.text and (value := _load(seen.text)) is not None:
        return _object(value, lang, numbers) if isinstance(value, dict) else _array(value, lang, numbers)
    return _rows(seen, lang, numbers)


def _object(value: dict[str, Any], lang: str, numbers: ArtifactSettings) -> list[str]:
    most = numbers.value_chars
    names = [_named(key, one, most) for key, one in value.items()]
    summary = [say(lang, "output.object", count=len(value), keys=some(lang, names, numbers.keys))]
    telling = [key for key in value if key.lower() in _TELLING and not _is_short(value[key], most) and value[key]]
    return summary + [f"{key}: {_short(value[key])}" for key in telling][:4]


def _array(value: list[Any], lang: str, numbers: ArtifactSettings) -> list[str]:
    objects = [one for one in value if isinstance(one, dict)]
    if value and len(objects) == len(value):
        summary = [say(lang, "output.objects", count=len(value), keys=_keys(objects, lang, numbers.keys))]
    else:
        summary = [say(lang, "output.array", count=len(value))]
    ends = [say(lang, "output.first", item=_short(value[0]))] if value else []
    return summary + ends + ([say(lang, "output.last", item=_short(value[-1]))] if len(value) > 1 else [])


def _rows(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    lines = [line for line in seen.lines if line.strip()]
    few = [_load(line) for line in lines[:_FEW]]
    if len(lines) < 2 or not all(isinstance(one, dict) for one in few):
        return []
    objects = [one for one in few if isinstance(one, dict)]
    summary = say(lang, "output.rows-json", count=seen.total, keys=_keys(objects, lang, numbers.keys))
    wrong = [line for line in lines if '"error"' in line[:400].lower()]
    return [summary, say(lang, "output.first", item=lines[0]), *wrong[:1], say(lang, "output.last", item=lines[-1])]


def _keys(objects: list[dict[str, Any]], lang: str, most: int) -> str:
    return some(lang, list(dict.fromkeys(str(key) for one in objects[:100] for key in one)), most)


def _named(key: str, value: object, most: int) -> str:
    """Return a key with its value, or with the size of a list or an object."""
    if isinstance(value, list):
        return f"{key} [{len(value)}]"
    if isinstance(value, dict):
        return f"{key} {{{len(value)}}}"
    return f"{key} {json.dumps(value, ensure_ascii=False)}" if _is_short(value, most) else key


def _is_short(value: object, most: int) -> bool:
    """Return whether a value is short enough to be shown beside its key."""
    return not isinstance(value, list | dict) and len(str(value)) <= most


def _short(value: object) -> str:
    if isinstance(value, list | dict) and len(value) > 50:
        return f"[{len(value)}]" if isinstance(value, list) else f"{{{len(value)}}}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _ALONE else f"{text[: _ALONE - 1]}…"


def _load(text: str) -> Any:  # noqa: ANN401 - what JSON holds
    """Parse an object or an array; None for anything else, and for nesting too deep to parse."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


_LEAST = 3  # lines, with the header
_RULE = pattern(r"[\s|+:=-]+\Z")
_GAP = pattern(r"\t+| {2,}")
_HEADER = pattern(r"[A-Z%#][A-Z0-9%#()/_.:+ -]*\Z")  # a column's name, in capitals
_NUMBER = pattern(r"-?\d{1,15}(?:[.,]\d{1,15})?\Z")

Rows = list[list[str]]


def summarize_table(seen: OutputLines, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Find rows of one width: Markdown, separated by tab, comma, semicolon or bar, or aligned below capitals."""
    lines = [line for line in seen.lines if line.strip()]
    if len(lines) < _LEAST - 1:
        return []
    rows = _markdown(lines) or _aligned(lines) or _separated(lines)
    if not rows:
        return []
    header, body = rows[0], rows[1:]
    names = some(lang, header, numbers.columns)
    summary = [say(lang, "output.table", rows=len(body), columns=len(header), names=names)]
    if ranges := _ranges(header, body, lang, numbers.ranges):
        summary.append(", ".join(ranges))
    ends = [
        say(lang, key, item=" | ".join(row))
        for key, row in zip(("output.first", "output.last"), (body[0], body[-1]), strict=True)
    ]
    return summary + ends[: len(body)]


def _markdown(lines: Sequence[str]) -> Rows:
    framed = [line for line in lines if line.lstrip().startswith("|")]
    if len(framed) < _LEAST or len(framed) * 2 < len(lines) or not _RULE.match(framed[1]):
        return []
    body = [line for line in framed if not _RULE.match(line)]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in body]
    return rows if len(rows) > 1 else []


def _aligned(lines: Sequence[str]) -> Rows:
    """Return the rows below a header in capitals, as `ps` and `kubectl` print them."""
    header = _GAP.split(lines[0].strip())
    if len(header) == 1 or not all(map(_HEADER.match, header)):
        return []
    rows = [_GAP.split(line.strip()) for line in lines[1:] if not _RULE.match(line)]
    fit = [row for row in rows if abs(len(row) - len(header)) <= 1]
    return [header, *rows] if rows and len(fit) * 10 >= len(rows) * 7 else []


def _separated(lines: Sequence[str]) -> Rows:
    if len(lines) < _LEAST:
        return []
    for mark in "\t;,|":
        width = lines[0].count(mark)
        # prose has commas too, but with a space after each
        if not width or (mark == "," and lines[0].count(", ") * 2 > width):
            continue
        rows = _split(lines, mark)
        fit = sum(len(row) == width + 1 for row in rows)
        if fit * 10 >= len(rows) * 9 and len(rows) >= _LEAST:
            return rows
    return []


def _split(lines: Sequence[str], mark: str) -> Rows:
    try:
        return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=mark)]
    except csv.Error:
        return []


def _ranges(header: Sequence[str], body: Rows, lang: str, most: int) -> list[str]:
    """Return the smallest and the largest value of each column that holds only numbers."""
    found: list[str] = []
    for column, name in enumerate(header):
        cells = [row[column] for row in body if column < len(row) and row[column]]
        values = [float(cell.replace(",", ".")) for cell in cells if _NUMBER.match(cell)]
        if values and len(values) == len(cells) and len(values) > 1 and len(found) < most:
            found.append(say(lang, "output.from-to", name=name, low=f"{min(values):g}", high=f"{max(values):g}"))
    return found
