"""MM112: marks of generated text that are not in pairs."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Read the marks with a stack of those that are open."""
    opened: list[Span] = []
    for closing, name, span in subject.document.auto_marks:
        if closing and not opened:
            yield Finding(span, variant="unopened")
        elif closing:
            opened.pop()
        else:
            if opened:
                yield Finding(span, variant="nested")
            elif not name:
                yield Finding(span, variant="nameless")
            opened.append(span)
    for span in opened[:1]:
        yield Finding(span, variant="unclosed")


RULE = Rule(
    "MM112",
    "unbalanced-auto-mark",
    "error",
    check,
)
