"""MM407: a file with more entries than its kind may have."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.limits import size
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Count the outermost entries of the file; the finding is at the first one over the limit."""
    most = subject.memory.file.max_entries if subject.memory else None
    if most is None:
        return
    count = size(subject.document).entries
    if count > most:
        outer = [entry for entry in subject.document.entries if not entry.depth]
        yield Finding(outer[most].text_span, {"count": count, "max": most})


RULE = Rule(
    "MM407",
    "too-many-entries",
    "error",
    check,
    measure="count",
    of_file=True,
)
