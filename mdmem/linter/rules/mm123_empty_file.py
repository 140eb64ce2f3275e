"""MM123: a memory file that is empty."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find a file of a known kind without any text, if the kind is one file."""
    template, facts = subject.memory, subject.facts
    if template is None or subject.name not in template.files or facts.lost:
        return
    if (facts.type, facts.link) != ("regular", "none"):
        return
    if not subject.document.text.strip("\ufeff \t\r\n\x00"):
        yield Finding(Span(0, 0), {"path": quote(subject.path, 80)})


RULE = Rule(
    "MM123",
    "empty-file",
    "warning",
    check,
    scope="file",
)
