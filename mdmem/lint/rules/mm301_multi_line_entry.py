"""MM301: an entry that runs over several lines where a memory is one line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.core.edit import Edit
from mdmem.core.text import Span
from mdmem.lint.rule import Finding, Item, Rule, Subject, Words

_BREAK = re.compile(r"[ \t]*(?:\\(?=[\r\n]))?(?:\r\n|\r|\n)[ \t]*")


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries whose own text holds a line ending."""
    for item in subject.items:
        if item.rule.form == "list" and ("\n" in item.entry.text or "\r" in item.entry.text):
            lines = item.entry.text.count("\n") or item.entry.text.count("\r")
            yield Finding(item.entry.text_span, {"lines": lines + 1}, tuple(_join(subject, item)))


def _join(subject: Subject, item: Item) -> Iterator[Edit]:
    """Join the lines; in the old format each may be a memory or a section, so MM206 has to part them first."""
    for match in () if subject.old_lines else _BREAK.finditer(item.entry.text):
        place = item.at(Span(*match.span()))
        yield Edit(place, _joint(subject.document.text, place))


def _joint(text: str, place: Span) -> str:
    """Choose what joins two lines: nothing between Chinese or Japanese, a space elsewhere."""
    before, after = text[place.start - 1 : place.start], text[place.end : place.end + 1]
    return "" if before > "\u2e7f" and after > "\u2e7f" else " "


RULE = Rule(
    "MM301",
    "multi-line-entry",
    "warning",
    check,
    en=Words("this entry runs over {lines} lines", "put it on one line, or move the detail to a file of its own"),
    zh=Words("这条记忆占了 {lines} 行", "合成一行，或把细节移到单独的文件"),
)
