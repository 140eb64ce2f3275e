"""MM506: a symbolic link that leaves the workspace."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Report such a link; it was not followed."""
    if subject.facts.link == "outside":
        yield Finding(Span(0, 0))


RULE = Rule(
    "MM506",
    "escaping-link",
    "error",
    check,
    scope="file",
)
