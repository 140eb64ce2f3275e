"""Logs: how many lines of each level, from when to when, the first and the last error."""

from __future__ import annotations

import re
from collections import Counter

from mdmem.context.output.seen import Seen
from mdmem.context.output.words import say
from mdmem.core.pattern import pattern
from mdmem.core.settings.files import ArtifactSettings

_TIME = pattern(
    r"[\[(<]?(\d{4}[-/.]\d\d[-/.]\d\d[T ]\d\d:\d\d(?::\d\d)?|\d{4}年\d{1,2}月\d{1,2}日 ?\d\d:\d\d(?::\d\d)?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d\d:\d\d:\d\d|\d\d/[A-Z][a-z]{2}/\d{4}:\d\d:\d\d:\d\d)"
)
_LEVEL = pattern(
    r"(?:^|[\s\[(|=:\"])(FATAL|CRITICAL|PANIC|ERROR|ERR|WARNING|WARN|NOTICE|INFO|DEBUG|TRACE|致命|错误|警告|信息|调试)(?=[\s\]):|\",：]|$)",
    re.IGNORECASE,
)
_SHORT = {"ERR": "ERROR", "WARN": "WARNING"}
_WORST = ("FATAL", "CRITICAL", "PANIC", "致命", "ERROR", "错误")
_RANK = (*_WORST, "WARNING", "警告", "NOTICE", "INFO", "信息", "DEBUG", "调试", "TRACE")
_FAR = 80  # characters in which the level stands
_LEAST = 3  # lines


def read(seen: Seen, lang: str, numbers: ArtifactSettings) -> list[str]:
    """Tell a log by its lines: most begin with a time, or with a level."""
    lines = [line for line in seen.lines if line]
    sample = lines[:200]
    marked = sum(bool(_TIME.match(line) or _LEVEL.match(line[:_FAR])) for line in sample)
    if len(lines) < _LEAST or marked * 2 < len(sample):
        return []
    levels = [_level(line) for line in lines]
    counts = Counter(filter(None, levels))
    told = ", ".join(f"{counts[level]} {level}" for level in _RANK if counts[level]) or say(lang, "no-levels")
    times = [match.group(1) for line in (*lines[:50], *lines[-50:]) if (match := _TIME.match(line))]
    span = f"; {times[0]} – {times[-1]}" if times else ""
    bad = [line for line, level in zip(lines, levels, strict=True) if level in _WORST]
    if not bad:
        bad = [line for line, level in zip(lines, levels, strict=True) if level in ("WARNING", "警告")]
    return [say(lang, "log", count=seen.total, levels=told) + span, *_ends(bad, numbers.errors), lines[-1]]


def _ends(bad: list[str], most: int) -> list[str]:
    """Give the first ones, and the last one too."""
    return [*bad[: most - 1], *bad[-1:]]


def _level(line: str) -> str:
    match = _LEVEL.search(line[:_FAR])
    word = match.group(1).upper() if match else ""
    return _SHORT.get(word, word)
