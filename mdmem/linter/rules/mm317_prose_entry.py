"""MM317: prose where every memory is a list item."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.wrapped_entries import prose
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find paragraphs in sections of one-line entries; captions, quotes, tables and comments are accepted."""
    for piece in prose(subject):
        if piece.kind == "prose":
            yield Finding(piece.span, fix=piece.fix)


RULE = Rule(
    "MM317",
    "prose-entry",
    "warning",
    check,
)
