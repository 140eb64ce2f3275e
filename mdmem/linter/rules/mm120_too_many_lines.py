"""MM120: more lines than a memory may have."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Count the lines; the finding is at the first line over the limit."""
    lines, most = subject.document.lines, subject.settings.max_lines
    if len(lines) > most:
        yield Finding(lines.span(most), {"count": len(lines), "max": most})


RULE = Rule(
    "MM120",
    "too-many-lines",
    "warning",
    check,
    scope="raw",
    measure="count",
    of_file=True,
)
