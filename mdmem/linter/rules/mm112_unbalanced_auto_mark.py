"""MM112: marks of generated text that do not pair up."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Walk the marks with those that are still open."""
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
