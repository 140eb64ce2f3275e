"""MM102: a byte order mark at the beginning of the file."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.edit import Edit
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find U+FEFF as the first character."""
    if subject.document.text.startswith("\ufeff"):
        mark = Span(0, 1)
        yield Finding(mark, fix=(Edit.delete(mark),))


RULE = Rule(
    "MM102",
    "byte-order-mark",
    "warning",
    check,
    scope="raw",
)
