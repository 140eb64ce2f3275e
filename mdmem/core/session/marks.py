"""The lines that a session is made of: headings of turns, and the heading above them all."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.core.pattern import pattern
from mdmem.core.template import Template, fold

_TIME = r"(?:\d{4}-\d{2}-\d{2}[ T])?\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?"
_TURN = pattern(
    r"### ([1-9][0-9]{0,8}) (\S(?:[^\r\n]{0,62}?\S)?)"
    rf" ({_TIME})[ \t]*(\r\n|\r|\n|\Z)",
    re.ASCII,
)
_SECTION = pattern(r"##[ \t]+([^\r\n]+)")


def turn_marks(text: str, start: int = 0) -> Iterator[re.Match[str]]:
    """Give the headings of turns from an offset on: round, speaker, time, line ending."""
    return (match for match in _TURN.finditer(text, start) if _begins_line(text, match.start()))


def is_turn(line: str) -> bool:
    """Tell whether a line is the heading of a turn."""
    return line.startswith("### ") and _TURN.match(line) is not None


def is_turns(line: str, template: Template) -> bool:
    """Tell whether a line is the heading above the turns, in any language."""
    match = _SECTION.match(line) if line.startswith("##") else None
    return match is not None and fold(match[1]) != "" and template.name(match[1]) == template.name("turns")


def turns_start(text: str, template: Template) -> int | None:
    """Find where the turns begin: behind the last heading that is called so; None where there is none."""
    found = None
    for match in _SECTION.finditer(text):
        if _begins_line(text, match.start()) and is_turns(match[0], template):
            found = match.end()
    return found


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] in "\r\n"
