"""MM321: an entry that repeats a conversation instead of saying what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.small_talk import speaker_labels
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries with two speaker labels; those of a session stand there as they were said."""
    if subject.memory is None or not _may_be_two(subject.document.text):
        return
    for item in subject.items:
        if subject.turns_start is not None and item.entry.span.start >= subject.turns_start:
            continue
        text = item.entry.text
        if _may_be_two(text) and len(speaker_labels(text, subject.settings.speakers)) > 1:
            yield Finding(item.entry.text_span)


def _may_be_two(text: str) -> bool:
    return text.count(":") + text.count("：") > 1


RULE = Rule(
    "MM321",
    "transcript",
    "warning",
    check,
)
