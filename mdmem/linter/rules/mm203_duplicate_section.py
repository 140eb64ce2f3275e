"""MM203: a section that is in the file twice."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import fold
from mdmem.linter.rule import Finding, Heading, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find the second and later headings of a section."""
    if subject.memory is None or subject.memory.policy == "free":
        return
    first: dict[tuple[str, int | None], Heading] = {}
    for heading in subject.outline:
        if heading.spec is None:
            continue
        before = first.setdefault(_identity(subject, heading), heading)
        if before is not heading:
            line = subject.document.lines.at(before.section.heading.start) + 1
            yield Finding(heading.section.heading, {"section": heading.spec.name, "line": line})


def _identity(subject: Subject, heading: Heading) -> tuple[str, int | None]:
    """Return what identifies a section.

    If sections are fixed, a name and its aliases are the same. Otherwise a person may use «笔记» beside «备注», or one
    «笔记» for every day: only the same words below the same heading are the same section.
    """
    name = heading.spec.name if heading.spec else ""
    if subject.memory and subject.memory.policy == "closed":
        return name, None
    return fold(heading.section.title), heading.section.parent


RULE = Rule(
    "MM203",
    "duplicate-section",
    "warning",
    check,
)
