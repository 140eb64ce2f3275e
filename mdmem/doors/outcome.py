"""Tells what became of a change: one line, the changed lines, and what to do next."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mdmem.core.diagnostic import SEVERITIES, Diagnostic
from mdmem.doors import diffs, emit
from mdmem.doors.report import WORDS, plural
from mdmem.doors.terminal import Paint, safe
from mdmem.doors.words import words

if TYPE_CHECKING:
    from mdmem.store.record import Transaction
    from mdmem.workspace.outcome import Outcome

_MARKS = {
    "done": ("good", "✓"),
    "partial": ("warning", "!"),
    "unchanged": ("dim", "="),
    "waiting": ("warning", "⏳"),
    "planned": ("note", "?"),
    "refused": ("error", "✗"),
}


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
    out = [headline(outcome.status, outcome.message, paint)]
    if diff and outcome.diff:
        out += diffs.short(outcome.diff, outcome.path, paint, words(lang)["more"])
    if outcome.hint:
        out.append(f"  {paint('dim', safe(outcome.hint))}")
    if outcome.diagnostics:
        out.append(f"  {paint('dim', words(lang)['stands'].format(counted=_counted(outcome.diagnostics, lang)))}")
    return out


def _counted(found: Sequence[Diagnostic], lang: str) -> str:
    """Say how many errors and warnings there are."""
    numbers = ((sum(one.severity == severity for one in found), severity) for severity in SEVERITIES)
    parts = [plural(number, WORDS[lang][f"{severity}s"], lang) for number, severity in numbers if number]
    return ("、" if lang == "zh" else ", ").join(parts)


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """Give an outcome as JSON's types."""
    values = outcome._asdict() | {"diagnostics": [one.as_dict() for one in outcome.diagnostics]}
    return values | {"transaction": transaction(outcome.transaction)}


def transaction(done: Transaction | None) -> dict[str, Any] | None:
    """Give a transaction as JSON's types."""
    return None if done is None else done._asdict() | {"files": [one._asdict() for one in done.files]}


def headline(status: str, message: str, paint: Paint) -> str:
    """Give the first line: what happened, behind the mark of its status."""
    style, mark = _MARKS[status]
    return f"{paint(style, mark)} {safe(message)}"
