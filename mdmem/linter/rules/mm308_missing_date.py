"""MM308: an entry without a date, so that its age is unknown."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.placeholders import is_form, is_placeholder
from mdmem.linter.detect.relative_dates import undated
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find undated entries, reported once per file."""
    texts = ((item, item.entry.text) for item in undated(subject))
    found = [item for item, text in texts if text.strip() and not is_form(text) and not is_placeholder(text)]
    if found:
        yield Finding(found[0].entry.text_span, {"count": len(found)})


RULE = Rule(
    "MM308",
    "missing-date",
    "note",
    check,
)
