"""MM301: an entry of several lines in a section of one-line entries."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.wrapped_entries import split
from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject
from mdmem.text.edit import Edit
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries whose text contains a line ending, or that have paragraphs, code or quotes below them."""
    for item in subject.items:
        entry = item.entry
        if item.rule.form != "list" or not (entry.blocks or "\n" in entry.text or "\r" in entry.text):
            continue
        first, last = subject.document.lines.at(entry.text_span.start), entry.last_line
        if not entry.blocks:
            last = subject.document.lines.at(entry.text_span.end)
        # a second paragraph or a code block is too much for one line, and its author decides what to keep of it;
        # lines of the old format may be sections, which MM206 has to separate first
        fix = () if entry.blocks or subject.old_lines else tuple(_fix(subject, item))
        yield Finding(Span(entry.span.start, entry.text_span.end), {"lines": last - min(first, entry.line) + 1}, fix)


def _fix(subject: Subject, item: RuleEntry) -> Iterator[Edit]:
    document, entry = subject.document, item.entry
    before = document.text[document.lines.span(entry.line).start : entry.marker.start]
    old = item.section is not None and item.section.style == "bracket"
    return split(document, entry.text_span, "" if before.strip(" \t") else before, each=old)


RULE = Rule(
    "MM301",
    "multi-line-entry",
    "warning",
    check,
)
