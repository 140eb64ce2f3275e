"""MM108: a file whose last line has no line ending."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.edit import Edit
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Check the last character; an empty file is accepted."""
    text = subject.document.text
    if text in ("", "\ufeff") or text.endswith(("\n", "\r")) or not subject.is_text:
        return
    end = len(text)
    yield Finding(Span(end, end), fix=(Edit.insert(end, subject.document.lines.ending),))


RULE = Rule(
    "MM108",
    "missing-final-newline",
    "note",
    check,
    scope="raw",
)
