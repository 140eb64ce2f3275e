"""MM119: a path that is not a readable file."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span

_KINDS = ("fifo", "socket", "device", "folder", "missing", "unreadable")


def check(subject: Subject) -> Iterator[Finding]:
    """Report what is at the path instead of a file."""
    facts = subject.facts
    kind = "dangling" if facts.link == "dangling" else facts.type
    if kind == "dangling" or kind in _KINDS:
        yield Finding(Span(0, 0), variant=kind)


RULE = Rule(
    "MM119",
    "not-a-file",
    "error",
    check,
    scope="file",
)
