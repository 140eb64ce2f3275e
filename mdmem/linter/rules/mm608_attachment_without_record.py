"""MM608: a file in the folder of attachments that no record names."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Report a file that was found without a record."""
    if subject.facts.type == "orphan":
        yield Finding(Span(0, 0))


RULE = Rule(
    "MM608",
    "attachment-without-record",
    "note",
    check,
    scope="file",
)
