"""MM320: two live facts of one predicate."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.fact_words import BEFORE, KIND, FactWords
from mdmem.formats.limits import owner_of
from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Find live lines whose predicate an earlier live line has, unless it is one of those that have several values."""
    if subject.memory is None or subject.memory.kind != KIND or "[predicate::" not in subject.document.text:
        return
    words, first = FactWords(subject.memory), dict[str, RuleEntry]()
    past = subject.memory.name(BEFORE)
    for item in subject.items:
        fields = {field.key: field.value for field in item.parts.fields}
        key = words.predicate(fields.get("predicate", ""))
        if not key or item.entry.depth or words.is_many(key) or {"superseded", "superseded_by"} & fields.keys():
            continue
        owner = owner_of(subject.document, subject.memory, item.section)
        if owner is not None and owner.name == past:
            continue
        earlier = first.setdefault(key, item)
        if earlier is not item:
            facts = {"predicate": quote(fields["predicate"]), "line": earlier.entry.line + 1}
            yield Finding(item.entry.text_span, facts)


RULE = Rule(
    "MM320",
    "conflicting-facts",
    "note",
    check,
)
