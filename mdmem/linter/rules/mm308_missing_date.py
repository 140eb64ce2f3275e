"""MM308: an entry without a date, so that its age is unknown."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.placeholders import is_form, is_placeholder
from mdmem.linter.detect.relative_dates import names_year, undated
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find undated entries, reported once per file."""
    texts = ((item, item.entry.text) for item in undated(subject) if not names_year(item.entry.text))
    undated_items = [item for item, text in texts if text.strip() and not is_form(text) and not is_placeholder(text)]
    if undated_items:
        yield Finding(undated_items[0].entry.text_span, {"count": len(undated_items)})


RULE = Rule(
    "MM308",
    "missing-date",
    "note",
    check,
    measure="count",
    of_file=True,
)
