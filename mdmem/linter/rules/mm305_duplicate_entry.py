"""MM305: an entry that is already present in the file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject
from mdmem.text.similarity import comparison_key


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries that repeat an earlier one; a done item and an open one, or facts of two predicates, differ."""
    counts = Counter(memory.prefilter for memory in subject.memories)
    first: dict[tuple[str, bool, str], RuleEntry] = {}
    by_section: dict[tuple[str, bool, str, int], RuleEntry] = {}
    for memory in subject.memories:
        if counts[memory.prefilter] == 1:
            continue
        item = memory.item
        predicate = item.parts.field("predicate")
        key = (comparison_key(memory.text), bool(item.parts.done), predicate.value.casefold() if predicate else "")
        key_in_section = (*key, item.section.heading.start if item.section else -1)
        earlier = by_section.setdefault(key_in_section, item)
        if earlier is item and len(memory.text) >= subject.settings.min_duplicate_chars:
            earlier = first.get(key, item)
        first.setdefault(key, item)
        if earlier is not item:
            # with different dates it may have happened twice
            again = earlier.parts.date and item.parts.date and earlier.parts.date.value != item.parts.date.value
            yield Finding(item.entry.text_span, {"line": earlier.entry.line + 1}, severity="note" if again else None)


RULE = Rule(
    "MM305",
    "duplicate-entry",
    "warning",
    check,
)
