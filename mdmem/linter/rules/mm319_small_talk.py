"""MM319: an entry of greetings and small talk, which nothing can be done with later."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.small_talk import is_small_talk
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries that consist of words of small talk; those of a session stand there as they were said."""
    settings = subject.settings
    for item in subject.items:
        if item.entry.depth or (subject.turns_start is not None and item.entry.span.start >= subject.turns_start):
            continue
        if is_small_talk(item.entry.text, settings.small_talk, settings.fillers):
            yield Finding(item.entry.text_span)


RULE = Rule(
    "MM319",
    "small-talk",
    "note",
    check,
)
