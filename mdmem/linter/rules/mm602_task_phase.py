"""MM602: a task is in a phase that its template does not know."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Rule, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Look the phase up; without an instruction pointer beside it the line may mean anything."""
    parts = subject.memory.parts if subject.memory else {}
    phases = parts.get("phases", ())
    if not phases or not parts.get("pointer"):
        return
    from mdmem.text.document import labelled  # only a plan needs it

    line = labelled(subject.document, parts.get("phase", ()))
    if line is None or not line.value or labelled(subject.document, parts["pointer"]) is None:
        return
    said = fold(line.value)
    if not any(fold(phase) in said for phase in phases):
        yield Finding(line.span, {"phase": quote(line.value), "phases": ", ".join(phases)})


RULE = Rule(
    "MM602",
    "task-phase",
    "warning",
    check,
)
