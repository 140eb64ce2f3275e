"""MM323: a line of another file states what no longer holds; its correction waits in the inbox."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.config.inbox_sections import FACT, INBOX, SINCE
from mdmem.linter.rule import Finding, Rule, Subject, quote

_TO = "to"


def check(subject: Subject) -> Iterator[Finding]:
    """Find the corrections of an inbox: each names the file with the line, and the fact that holds now."""
    if subject.memory is None or subject.memory.kind != INBOX or f"[{SINCE}::" not in subject.document.text:
        return
    for item in subject.items:
        fields = {field.key: field.value for field in item.parts.fields}
        if fields.keys() >= {_TO, FACT, SINCE}:
            yield Finding(item.entry.text_span, {"path": quote(fields[_TO]), "fact": quote(fields[FACT])})


RULE = Rule(
    "MM323",
    "outdated-line",
    "note",
    check,
)
