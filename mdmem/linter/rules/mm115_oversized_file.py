"""MM115: a file that is too large for a memory."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the size with the limit; the file has not been read."""
    size, most = subject.facts.size, subject.settings.max_bytes
    raw = subject.template is not None and subject.memory is None  # the output of a tool has no limit here
    if subject.facts.type == "regular" and size > most and not raw:
        yield Finding(Span(0, 0), {"size": size, "max": most})


RULE = Rule(
    "MM115",
    "oversized-file",
    "error",
    check,
    scope="file",
    measure="size",
)
