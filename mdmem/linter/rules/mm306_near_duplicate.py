"""MM306: an entry that is nearly the same as another one."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import ComparableEntry, Finding, Rule, Subject
from mdmem.text.similarity import near_duplicates


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the words of entries that are long enough; exact duplicates are reported by MM305."""
    for done in (False, True):
        distinct: dict[str, ComparableEntry] = {}
        for memory in subject.memories:
            if len(memory.text) >= subject.settings.min_duplicate_chars and bool(memory.item.parts.done) is done:
                distinct.setdefault(memory.prefilter, memory)
        memories = list(distinct.values())
        # with the leading date, because the same text on another day is not a duplicate
        texts = [
            f"{memory.item.parts.date.text if memory.item.parts.date else ''} {memory.text}" for memory in memories
        ]
        for later, earlier in near_duplicates(texts, subject.settings.near_duplicate):
            yield Finding(memories[later].item.entry.text_span, {"line": memories[earlier].item.entry.line + 1})


RULE = Rule(
    "MM306",
    "near-duplicate",
    "note",
    check,
)
