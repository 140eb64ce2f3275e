"""MM603: a session's file is not named by its date and time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

_FIELD = pattern(r"YYYY|MM|DD|HH|SS|_?slug")
_NO_SESSION = frozenset(("readme", "index"))  # what explains the folder stands in it too


def check(subject: Subject) -> Iterator[Finding]:
    """Hold the name to the template's shapes; the first that fits must be a moment of the calendar."""
    shapes = subject.memory.parts.get("name", ()) if subject.memory else ()
    stem = subject.name.rpartition(".")[0]
    if not shapes or stem.lower() in _NO_SESSION:
        return
    match = next((match for shape in shapes if (match := _pattern(shape).match(stem))), None)
    if match is None or not _possible(match):
        yield Finding(Span(0, 0), {"name": quote(subject.name), "shape": shapes[0]})


def _possible(match: re.Match[str]) -> bool:
    import datetime as dt

    try:
        dt.datetime(*(int(group) for group in match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return False
    return True


@cache
def _pattern(shape: str) -> Pattern:
    """Make a pattern of a shape such as `YYYYMMDD_HHMMSS_slug`, with year, month, day and so on as its groups."""
    pieces = re.split(rf"({_FIELD.pattern})", shape)
    return pattern("".join(_piece(piece) for piece in pieces) + r"\Z", re.DOTALL)


def _piece(piece: str) -> str:
    if piece.endswith("slug"):
        return "(?:_.*)?"
    return rf"([0-9]{{{len(piece)}}})" if _FIELD.fullmatch(piece) else re.escape(piece)


RULE = Rule(
    "MM603",
    "session-name",
    "warning",
    check,
)
