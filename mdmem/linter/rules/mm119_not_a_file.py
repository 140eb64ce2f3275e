"""MM119: something that is no file which can be read."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span

_KINDS = ("fifo", "socket", "device", "folder", "missing", "unreadable")


def check(subject: Subject) -> Iterator[Finding]:
    """Say what stands there instead of a file."""
    facts = subject.facts
    found = "dangling" if facts.link == "dangling" else facts.type
    if found == "dangling" or found in _KINDS:
        yield Finding(Span(0, 0), variant=found)


RULE = Rule(
    "MM119",
    "not-a-file",
    "error",
    check,
    scope="file",
)
