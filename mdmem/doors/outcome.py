"""Tells what became of a change: one line, the changed lines, and what to do next."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mdmem.doors import diffs, emit
from mdmem.doors.terminal import Paint, safe
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.workspace.outcome import Outcome

_MARKS = {"done": ("good", "✓"), "unchanged": ("dim", "="), "waiting": ("warning", "⏳"), "planned": ("note", "?")}


def tell(outcome: Outcome, lang: str, *, as_json: bool, diff: bool = False) -> int:
    """Print an outcome and give the exit code: 0 done, 1 nothing was done.

    `diff` shows the changed lines too, where the message does not say them.
    """
    if as_json:
        emit.json(as_dict(outcome))
    else:
        print("\n".join(lines(outcome, lang, Paint(sys.stdout), diff=diff)))
    return 1 if outcome.status == "unchanged" else 0


def tell_all(outcomes: Sequence[Outcome], lang: str, *, as_json: bool) -> int:
    """Print several outcomes, each with its changed lines; gives 0 where at least one was done."""
    if as_json:
        emit.json({"outcomes": [as_dict(one) for one in outcomes]})
    else:
        paint = Paint(sys.stdout)
        said = [line for one in outcomes for line in lines(one, lang, paint, diff=True)]
        print("\n".join(said) or words(lang)["no-inbox"])
    return int(not any(one.status == "done" for one in outcomes))


def lines(outcome: Outcome, lang: str, paint: Paint, *, diff: bool) -> list[str]:
    """Word an outcome for a person."""
    style, mark = _MARKS[outcome.status]
    out = [f"{paint(style, mark)} {safe(outcome.message)}"]
    if diff and outcome.diff:
        out += diffs.short(outcome.diff, paint, words(lang)["more"])
    if outcome.hint:
        out.append(f"  {paint('dim', safe(outcome.hint))}")
    errors, warnings = (sum(d.severity == one for d in outcome.diagnostics) for one in ("error", "warning"))
    if errors or warnings:
        out.append(f"  {paint('dim', words(lang)['stands'].format(errors=errors, warnings=warnings))}")
    return out


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Give an outcome as JSON's types."""
    values = outcome._asdict() | {"diagnostics": [one.as_dict() for one in outcome.diagnostics]}
    done = outcome.transaction
    values["transaction"] = done and done._asdict() | {"files": [one._asdict() for one in done.files]}
    return values
