"""MM320: two live facts of one predicate."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.fact_words import BEFORE, KIND, FactWords, PartialDate
from mdmem.formats.limits import owner_of
from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject, quote
from mdmem.text.entry import statement


def check(subject: Subject) -> Iterator[Finding]:
    """Find live lines whose predicate an earlier live line has, unless both hold.

    Of some predicates several lines hold, and a month and a year of birth are parts of one date.
    """
    if subject.memory is None or subject.memory.kind != KIND or "[predicate::" not in subject.document.text:
        return
    words, first = FactWords(subject.memory), dict[str, RuleEntry]()
    dates: dict[str, set[PartialDate]] = {}  # of each predicate, those that hold together
    past = subject.memory.name(BEFORE)
    for item in subject.items:
        fields = {field.key: field.value for field in item.parts.fields}
        key = words.predicate(fields.get("predicate", ""))
        if not key or item.entry.depth or words.is_many(key) or {"superseded", "superseded_by"} & fields.keys():
            continue
        owner = owner_of(subject.document, subject.memory, item.section)
        if owner is not None and owner.name == past:
            continue
        earlier, held = first.setdefault(key, item), dates.setdefault(key, set())
        date = words.partial_date(statement(item.entry.text, item.parts), key)
        if date and (earlier is item or held) and date not in held and all(map(date.agrees, held)):
            held.add(date)
        elif earlier is not item:
            facts = {"predicate": quote(fields["predicate"]), "line": earlier.entry.line + 1}
            yield Finding(item.entry.text_span, facts)


RULE = Rule(
    "MM320",
    "conflicting-facts",
    "note",
    check,
)
