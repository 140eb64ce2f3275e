"""MM609: a stretch of a session's episode whose rounds are no range, or overlap another one's."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleEntry, Subject
from mdmem.text.entry import EntryField

_SECTION = "episode"  # an alias of the section in every language


def check(subject: Subject) -> Iterator[Finding]:
    """Read the field `rounds` of each line of the episode."""
    if subject.memory is None or subject.memory.kind != "session" or "[rounds::" not in subject.document.text:
        return
    from mdmem.formats.session import read_rounds

    found: list[tuple[int, int, RuleEntry, EntryField]] = []
    for item, field in _fields(subject):
        span = read_rounds(field.value)
        if span is None:
            yield Finding(item.at(field.value_span), {"rounds": field.value}, variant="range")
        else:
            found.append((*span, item, field))
    last, named = 0, ""
    for first, end, item, field in sorted(found, key=lambda one: one[:2]):
        if first <= last:
            yield Finding(item.at(field.value_span), {"rounds": field.value, "other": named})
        if end > last:
            last, named = end, field.value


def _fields(subject: Subject) -> Iterator[tuple[RuleEntry, EntryField]]:
    template, start = subject.template, subject.turns_start
    if template is None:
        return
    names = {id(entry): template.name(one.title) for one in subject.document.sections for entry in one.entries}
    for item in subject.items:
        if start is not None and item.entry.span.start >= start:
            break
        if names.get(id(item.entry)) == template.name(_SECTION):
            yield from ((item, field) for field in item.parts.fields if field.key == "rounds")


RULE = Rule(
    "MM609",
    "episode-rounds",
    "warning",
    check,
)
