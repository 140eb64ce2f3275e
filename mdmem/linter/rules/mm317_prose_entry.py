"""MM317: prose where every memory is a list item."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.wrapped_entries import prose
from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find paragraphs in sections of one-line entries; captions, quotes, tables and comments are welcome."""
    for piece in prose(subject):
        if piece.kind == "prose":
            yield Finding(piece.span, fix=piece.fix)


RULE = Rule(
    "MM317",
    "prose-entry",
    "warning",
    check,
    en=RuleText("this text is no list item", "make it an entry of its own: `- …`"),
    zh=RuleText("这段文字不是列表条目", "改成单独的一条：「- ……」"),
)
