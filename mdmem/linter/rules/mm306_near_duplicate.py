"""MM306: a memory that says nearly what another one says."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import ComparableEntry, Finding, Rule, Subject
from mdmem.text.similarity import near_duplicates


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the words of the memories that are long enough to have some; exact duplicates are MM305's."""
    for done in (False, True):
        distinct: dict[str, ComparableEntry] = {}
        for memory in subject.memories:
            if len(memory.text) >= subject.settings.min_duplicate_chars and bool(memory.item.parts.done) is done:
                distinct.setdefault(memory.rough, memory)
        found = list(distinct.values())
        # with the leading date, for the same on another day is not the same
        texts = [f"{memory.item.parts.date.text if memory.item.parts.date else ''} {memory.text}" for memory in found]
        for later, earlier in near_duplicates(texts, subject.settings.near_duplicate):
            yield Finding(found[later].item.entry.text_span, {"line": found[earlier].item.entry.line + 1})


RULE = Rule(
    "MM306",
    "near-duplicate",
    "note",
    check,
)
