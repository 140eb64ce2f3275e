"""MM610: a function of a piece of knowledge uses an input that its interface does not declare."""

# `piece_functions` is imported only for a piece with braces.
from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find `{input}` in steps, outputs and preconditions, where no line about inputs names it."""
    memory = subject.memory
    if memory is None or memory.kind != "knowledge" or "{" not in subject.document.text:
        return
    from mdmem.formats.knowledge.piece_functions import undeclared_inputs

    for one in undeclared_inputs(subject.document, memory):
        start = one.entry.text_span.start
        label = memory.parts.get("inputs", ("inputs",))[0]
        yield Finding(Span(start + one.start, start + one.end), {"input": quote(one.name), "label": label})


RULE = Rule(
    "MM610",
    "undeclared-input",
    "warning",
    check,
)
