"""MM404: a file with more characters than its kind should have."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.limits import size
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the characters of the file, without front matter, with its soft limit."""
    most = subject.memory.file.max_chars if subject.memory else None
    if most is None:
        return
    chars = size(subject.document).chars
    if chars > most:
        yield Finding(
            subject.document.lines.span(subject.document.lines.at(subject.document.start)),
            {"chars": chars, "max": most},
        )


RULE = Rule(
    "MM404",
    "file-over-limit",
    "warning",
    check,
    measure="chars",
    of_file=True,
)
