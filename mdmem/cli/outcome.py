"""Print outcomes and unified diffs, for people or as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from mdmem import SEVERITIES, Diagnostic
from mdmem.cli.console import Paint, folded, safe
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Outcome

_STYLES = {"+": "fix", "-": "error", "@": "note"}
_MOST = 12  # changed lines below a message; `mdmem diff` shows all


class DiffLine(NamedTuple):
    """One line that was added or removed."""

    path: str
    sign: str
    text: str
    new: bool  # whether its file is new


def full(diff: str, paint: Paint) -> str:
    """Return a diff, coloured for a terminal; unchanged for a pipe, where it can be applied as a patch."""
    return "".join(f"{_coloured(line, paint)}\n" for line in diff.splitlines()) if paint.on else diff


def _coloured(line: str, paint: Paint) -> str:
    style = "bold" if line.startswith(("+++ ", "--- ")) else _STYLES.get(line[:1], "")
    return paint(style, safe(line)) if style else safe(line)


def short(diff: str, path: str, paint: Paint, lang: str) -> list[str]:
    """Return the first changed lines of one file (of a new file only entries), and the number of the others."""
    changed = [one for one in read(diff) if one.path == path and one.text.strip()]
    changed = [one for one in changed if not one.new or one.text.startswith("- ")]
    lines = [
        paint(_STYLES[one.sign], f"  {one.sign} {folded(safe(one.text.removeprefix('- ')), 4)}")
        for one in changed[:_MOST]
    ]
    left = len(changed) - len(lines)
    return [*lines, paint("dim", f"  {say(lang, 'cli.more', count=left)}")] if left else lines


def count(diff: str) -> tuple[int, int]:
    """Return the number of added and of removed lines."""
    signs = [one.sign for one in read(diff)]
    return signs.count("+"), signs.count("-")


def read(diff: str) -> Iterator[DiffLine]:
    """Yield the changed lines of a diff made by mdmem; a hunk's header has the number of its lines."""
    path, new, old_left, new_left = "", False, 0, 0
    for line in diff.split("\n"):
        if old_left > 0 or new_left > 0:
            old_left -= line[:1] in ("-", " ")
            new_left -= line[:1] in ("+", " ")
            if line[:1] in ("+", "-"):
                yield DiffLine(path, line[0], line[1:], new)
        elif line.startswith("--- "):
            path, new = line[6:], line == "--- /dev/null"
        elif line.startswith("+++ b/"):
            path = line[6:]
        elif line.startswith("@@ "):
            old_left, new_left = (_length(part) for part in line.split(" ")[1:3])


def _length(part: str) -> int:
    """Return the number of lines in `-3,4` or `+3`."""
    _, comma, number = part.partition(",")
    return int(number) if comma else 1


_MARKS = {
    "done": ("good", "✓"),
    "partial": ("warning", "!"),
    "unchanged": ("dim", "="),
    "waiting": ("warning", "⏳"),
    "planned": ("note", "?"),
    "refused": ("error", "✗"),
    "good": ("good", "✓"),  # the states of a check
    "weaker": ("warning", "!"),
    "bad": ("error", "✗"),
}


def lines(outcome: Outcome, lang: str, paint: Paint, *, diff: bool) -> list[str]:
    """Return the lines of an outcome for a person."""
    out = [headline(outcome.status, outcome.message, paint)]
    if diff and outcome.diff:
        out += short(outcome.diff, outcome.path, paint, lang)
    out += advice(outcome.hint, paint)
    if outcome.diagnostics:
        out.append(f"  {paint('dim', say(lang, 'cli.stands', counted=_counted(outcome.diagnostics, lang)))}")
    return out


def _counted(found: Sequence[Diagnostic], lang: str) -> str:
    """Return the number of findings by severity, in words."""
    numbers = ((sum(one.severity == severity for one in found), severity) for severity in SEVERITIES)
    parts = [say(lang, f"cli.lint.{severity}s", count=number) for number, severity in numbers if number]
    return say(lang, "punctuation.list").join(parts)


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON types."""
    return asdict(outcome) | {"diagnostics": [one.as_dict() for one in outcome.diagnostics]}


def headline(status: str, message: str, paint: Paint) -> str:
    """Return the first line of an outcome: the symbol of its status, and the message."""
    style, mark = _MARKS[status]
    return f"{paint(style, mark)} {folded(safe(message), 2)}"


def advice(hint: str, paint: Paint) -> list[str]:
    """Return the line below a headline that says what to do next; none without a hint."""
    return [f"  {paint('dim', folded(safe(hint), 2))}"] if hint else []
