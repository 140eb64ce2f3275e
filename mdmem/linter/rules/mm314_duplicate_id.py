"""MM314: two entries of a file with the same id."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Find ids that an earlier entry has."""
    first: dict[str, int] = {}
    for item in subject.items:
        if item.parts.id is None or item.parts.id_span is None:
            continue
        line = first.setdefault(item.parts.id, item.entry.line)
        if line != item.entry.line:
            yield Finding(item.at(item.parts.id_span), {"id": quote(item.parts.id), "line": line + 1})


RULE = Rule(
    "MM314",
    "duplicate-id",
    "error",
    check,
)
