"""Unified diffs on a terminal: all of one, or its few changed lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, NamedTuple

from mdmem import SEVERITIES, Diagnostic
from mdmem.cli import output
from mdmem.cli.terminal import Paint, safe
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    from mdmem import Outcome

_STYLES = {"+": "fix", "-": "error", "@": "note"}
_MOST = 12  # changed lines below a message; `mdmem diff` shows all


class DiffLine(NamedTuple):
    """One line that was added or taken out."""

    path: str
    sign: str
    text: str
    new: bool  # its file was not there before


def full(diff: str, paint: Paint) -> str:
    """Colour a diff; what is piped stays a patch."""
    return "".join(f"{_whole(line, paint)}\n" for line in diff.splitlines()) if paint.on else diff


def _whole(line: str, paint: Paint) -> str:
    style = "bold" if line.startswith(("+++ ", "--- ")) else _STYLES.get(line[:1], "")
    return paint(style, safe(line)) if style else safe(line)


def short(diff: str, path: str, paint: Paint, lang: str) -> list[str]:
    """Return the changed lines of one file, of a new one its entries alone, and how many are left out."""
    changed = [one for one in read(diff) if one.path == path and one.text.strip()]
    changed = [one for one in changed if not one.new or one.text.startswith("- ")]
    lines = [paint(_STYLES[one.sign], f"  {one.sign} {safe(one.text.removeprefix('- '))}") for one in changed[:_MOST]]
    left = len(changed) - len(lines)
    return [*lines, paint("dim", f"  {say(lang, 'cli.more', count=left)}")] if left else lines


def count(diff: str) -> tuple[int, int]:
    """Count the lines added and taken out."""
    signs = [one.sign for one in read(diff)]
    return signs.count("+"), signs.count("-")


def read(diff: str) -> Iterator[DiffLine]:
    """Return the changed lines of a diff as mdmem writes it: a hunk's header says how many lines belong to it."""
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
    """Read the number of lines in `-3,4` or `+3`."""
    _, comma, number = part.partition(",")
    return int(number) if comma else 1


_MARKS = {
    "done": ("good", "✓"),
    "partial": ("warning", "!"),
    "unchanged": ("dim", "="),
    "waiting": ("warning", "⏳"),
    "planned": ("note", "?"),
    "refused": ("error", "✗"),
}


def print_outcome(outcome: Outcome, lang: str, *, as_json: bool, diff: bool = False) -> int:
    """Print an outcome and give the exit code: 0 done, 1 nothing was done.

    `diff` shows the changed lines too, where the message does not say them.
    """
    if as_json:
        output.json(as_dict(outcome))
    else:
        print("\n".join(lines(outcome, lang, Paint(sys.stdout), diff=diff)))
    return 1 if outcome.status == "unchanged" else 0


def tell_all(outcomes: Sequence[Outcome], lang: str, *, as_json: bool) -> int:
    """Print several outcomes, each with its changed lines; gives 0 where at least one was done."""
    if as_json:
        output.json({"outcomes": [as_dict(one) for one in outcomes]})
    else:
        paint = Paint(sys.stdout)
        said = [line for one in outcomes for line in lines(one, lang, paint, diff=True)]
        print("\n".join(said) or say(lang, "cli.no-inbox"))
    return int(not any(one.status == "done" for one in outcomes))


def lines(outcome: Outcome, lang: str, paint: Paint, *, diff: bool) -> list[str]:
    """Word an outcome for a person."""
    out = [headline(outcome.status, outcome.message, paint)]
    if diff and outcome.diff:
        out += short(outcome.diff, outcome.path, paint, lang)
    if outcome.hint:
        out.append(f"  {paint('dim', safe(outcome.hint))}")
    if outcome.diagnostics:
        out.append(f"  {paint('dim', say(lang, 'cli.stands', counted=_counted(outcome.diagnostics, lang)))}")
    return out


def _counted(found: Sequence[Diagnostic], lang: str) -> str:
    """Say how many errors and warnings there are."""
    numbers = ((sum(one.severity == severity for one in found), severity) for severity in SEVERITIES)
    parts = [say(lang, f"cli.lint.{severity}s", count=number) for number, severity in numbers if number]
    return say(lang, "punctuation.list").join(parts)


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Return an outcome as JSON's types."""
    return asdict(outcome) | {"diagnostics": [one.as_dict() for one in outcome.diagnostics]}


def headline(status: str, message: str, paint: Paint) -> str:
    """Return the first line: what happened, behind the mark of its status."""
    style, mark = _MARKS[status]
    return f"{paint(style, mark)} {safe(message)}"
