"""fastmemo in all its generations, and the diaries and logs that lie beside it. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator

from mdmem.importers.model import (
    ImportedLine,
    ImportedSession,
    ImportProblem,
    ImportReader,
    ImportRecord,
    ImportSource,
    origin_of,
)
from mdmem.importers.readers.common import JSON_ENDINGS, base, headed_lines, moment, text_of
from mdmem.text.pattern import pattern

_VERSION = pattern(r"\ufeff?fastmemo v\d")
_HEADER = pattern(r"\[([^\[\]:]{1,40})\](?:\s*[：:].*)?\s*\Z")
_ITEM = pattern(r"(?:[-*+•]\s+)+|\d{1,3}[.)、]\s*")
_BLOCK = pattern(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?\s*\|\s*([^|\n]{1,60}?)\s*(?:\|\s*(.*))?\Z")
_LOGS = ("datememo", "metamemo", "contextmemo", "datememory", "metamemory")
_NAMES = ("fastmemo", "fastmemory")
_TEXTS = (".jsonl", ".txt", ".md")
_SYSTEM = "fastmemo"


def recognizes(source: ImportSource) -> bool:
    """Return whether the source holds a fastmemo, a diary or a log of its system."""
    return any(_is_fastmemo(source, name) or _is_log(source, name) for name in source.names)


def _is_fastmemo(source: ImportSource, name: str) -> bool:
    if not base(name).lower().endswith(_TEXTS):
        return False
    text = source.text(name) or ""
    if _VERSION.match(text):
        return True
    return base(name).lower().startswith(_NAMES) and any(_HEADER.match(line) for line in text.splitlines())


def _is_log(source: ImportSource, name: str) -> bool:
    if not (base(name).lower().startswith(_LOGS) and name.endswith(_TEXTS)):
        return False
    lines = (line for line in (source.text(name) or "").splitlines() if line.strip() and not line.startswith("#"))
    first = next(lines, "")
    return bool(_BLOCK.match(first)) or ('"speaker"' in first and '"content"' in first)


def read(source: ImportSource) -> Iterator[ImportRecord]:
    """Yield the lines of each fastmemo by section, the days of the diary, and the conversations by day."""
    for name in source.names:
        if _is_fastmemo(source, name):
            yield from _fastmemo(source, name)
        elif _is_log(source, name):
            yield from _log(source, name)
        elif name.endswith((*JSON_ENDINGS, ".txt", ".md")):
            yield ImportProblem(name, "import.unknown-file", {}, "skipped")


def _fastmemo(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    text = source.text(name) or ""
    if not any(_HEADER.match(line) for line in text.splitlines()):  # a Markdown file with headings
        for one in headed_lines(text):
            yield _line(f"{name}:{one.line}", one.section, one.text)
        return
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        said = line.strip().lstrip("\ufeff")
        if not said or _VERSION.match(said):
            continue
        if header := _HEADER.match(said):
            section = header[1].strip()
            continue
        if mark := _ITEM.match(said):
            said = said[mark.end() :].strip()
        if said:
            yield _line(f"{name}:{number}", section, said)


def _line(place: str, section: str, text: str) -> ImportedLine:
    return ImportedLine(origin_of(_SYSTEM, section, text), place, _SYSTEM, text, section)


def _log(source: ImportSource, name: str) -> Iterator[ImportRecord]:
    """Yield the blocks of a log: those of a diary as lines of their days, conversations as one session a day."""
    is_diary = base(name).lower().startswith("date")
    days: dict[str, list[dict[str, str]]] = {}
    for place, day, time, speaker, text in _blocks(source.text(name) or "", name):
        if not text:
            yield ImportProblem(place, "import.empty", {}, "skipped")
        elif not day:
            yield ImportProblem(place, "import.broken-line", {})
        elif is_diary:
            line = " ".join(text.split())
            yield ImportedLine(origin_of(_SYSTEM, day, time, line), place, "daily", line, date=day)
        else:
            role = "user" if speaker.lower() in ("user", "human", "用户", "主人") else "assistant"
            role = "tool" if speaker.lower() in ("tool", "工具") else role
            stamp = f"{day}T{time or '00:00'}"
            days.setdefault(day, []).append({"role": role, "content": text, "timestamp": stamp})
    for day, turns in days.items():
        title = " ".join(turns[0]["content"].split())
        origin = origin_of(_SYSTEM, base(name).partition(".")[0], day)
        yield ImportedSession(origin, f"{name}#{day}", title, tuple(turns), started=turns[0]["timestamp"])


def _blocks(text: str, name: str) -> Iterator[tuple[str, str, str, str, str]]:
    """Yield place, day, time, speaker and text of each block: a heading line and the indented lines below it."""
    block: tuple[str, str, str, str, str] | None = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("{"):
            yield _object(line, f"{name}:{number}")
        elif head := _BLOCK.match(line):
            if block:
                yield block
            block = f"{name}:{number}", head[1], head[2] or "", head[3], (head[4] or "").strip()
        elif block and line.strip():
            block = (*block[:4], f"{block[4]}\n{line.strip()}".strip())
    if block:
        yield block


def _object(line: str, place: str) -> tuple[str, str, str, str, str]:
    try:
        given = json.loads(line, strict=False)
    except (ValueError, RecursionError):
        return place, "", "", "", line
    at = moment(given.get("time"))
    return place, at[:10], at[11:], text_of(given.get("speaker")), text_of(given.get("content")).strip()


READER = ImportReader("fastmemo", recognizes, read)
