"""MM602: a phase that the template does not know."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.document import labelled


def check(subject: Subject) -> Iterator[Finding]:
    """Look up the phase; without a pointer beside it, the line may mean anything."""
    parts = subject.memory.parts if subject.memory else {}
    phases = parts.get("phases", ())
    if not phases or not parts.get("pointer"):
        return
    line = labelled(subject.document, parts.get("phase", ()))
    if line is None or not line.value or labelled(subject.document, parts["pointer"]) is None:
        return
    value = fold(line.value)
    if not any(fold(phase) in value for phase in phases):
        yield Finding(line.span, {"phase": quote(line.value), "phases": ", ".join(phases)})


RULE = Rule(
    "MM602",
    "task-phase",
    "warning",
    check,
)
