"""MM319: an entry of greetings and small talk, which nothing can be done with later."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.small_talk import small_talk
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries that consist of words of small talk; those of a session stand there as they were said."""
    talk = small_talk(subject.settings.small_talk, subject.settings.fillers)
    for item in subject.items:
        if item.entry.depth or (subject.turns_start is not None and item.entry.span.start >= subject.turns_start):
            continue
        if talk.holds(item.entry.text):
            yield Finding(item.entry.text_span)


RULE = Rule(
    "MM319",
    "small-talk",
    "note",
    check,
)
