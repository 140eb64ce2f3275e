"""MM321: an entry that repeats a conversation instead of saying what came of it."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.small_talk import speaker_labels
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries with two speaker labels; those of a session stand there as they were said."""
    if subject.memory is None or (":" not in subject.document.text and "：" not in subject.document.text):
        return
    for item in subject.items:
        if subject.turns_start is not None and item.entry.span.start >= subject.turns_start:
            continue
        if len(speaker_labels(item.entry.text, subject.settings.speakers)) > 1:
            yield Finding(item.entry.text_span)


RULE = Rule(
    "MM321",
    "transcript",
    "warning",
    check,
)
