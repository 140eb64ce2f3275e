"""MM603: the file of a session is not named by date and time."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterator
from functools import cache

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

_FIELD = pattern(r"YYYY|MM|DD|HH|SS|_?slug")
_NO_SESSION = frozenset(("readme", "index"))  # files that describe the folder


def check(subject: Subject) -> Iterator[Finding]:
    """Match the name with the template's forms; the first form that fits must be a valid date and time."""
    forms = subject.memory.parts.get("name", ()) if subject.memory else ()
    stem = subject.name.rpartition(".")[0]
    if not forms or stem.lower() in _NO_SESSION:
        return
    match = next((match for form in forms if (match := _pattern(form).match(stem))), None)
    if match is None or not _possible(match):
        yield Finding(Span(0, 0), {"name": quote(subject.name), "shape": forms[0]})


def _possible(match: re.Match[str]) -> bool:
    try:
        dt.datetime(*(int(group) for group in match.groups()))  # type: ignore[arg-type]  # noqa: DTZ001
    except ValueError:
        return False
    return True


@cache
def _pattern(form: str) -> Pattern:
    """Return the pattern of a form such as `YYYYMMDD_HHMMSS_slug`, with year, month, day and so on as its groups."""
    pieces = re.split(rf"({_FIELD.pattern})", form)
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
