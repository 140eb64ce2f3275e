"""MM323: a line states what no longer holds: its correction waits in the inbox, or a fact was changed by hand."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.config.inbox_sections import FACT, INBOX, SINCE
from mdmem.linter.rule import Finding, Rule, Subject, quote

_TO = "to"


def check(subject: Subject) -> Iterator[Finding]:
    """Find the corrections of an inbox, and lines that state what a person has replaced or ended in a facts file.

    Each names the file with the line, and the fact that holds now.
    """
    newer = dict(subject.facts.outdated)
    for item in subject.items if newer else ():
        if item.entry.line in newer:
            facts = {"path": quote(subject.path), "fact": quote(newer[item.entry.line])}
            yield Finding(item.entry.text_span, facts, variant="by-hand")
    if subject.memory is None or subject.memory.kind != INBOX or f"[{SINCE}::" not in subject.document.text:
        return
    for item in subject.items:
        fields = {field.key: field.value for field in item.parts.fields}
        if fields.keys() >= {_TO, FACT, SINCE}:
            facts = {"path": quote(fields[_TO]), "fact": quote(fields[FACT])}
            yield Finding(item.entry.text_span, facts)


RULE = Rule(
    "MM323",
    "outdated-line",
    "note",
    check,
)
