"""MM405: a file that is near the soft limit of its kind."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.limits import size
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find files between the template's share of the limit and the limit."""
    limits = subject.memory.file if subject.memory else None
    if limits is None or limits.max_chars is None or limits.warn_ratio is None:
        return
    chars = size(subject.document).chars
    if limits.warn_ratio * limits.max_chars <= chars <= limits.max_chars:
        top = subject.document.lines.span(subject.document.lines.at(subject.document.start))
        yield Finding(top, {"chars": chars, "max": limits.max_chars})


RULE = Rule(
    "MM405",
    "file-near-limit",
    "note",
    check,
    measure="chars",
    of_file=True,
)
