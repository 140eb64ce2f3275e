"""MM318: a valid value of a field or a key in another spelling."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.field_values import unfit
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.edit import Edit


def check(subject: Subject) -> Iterator[Finding]:
    """Find values that stand for exactly one valid value."""
    for value, meant in unfit(subject):
        if meant:
            yield Finding(value.span, {"field": quote(value.key), "meant": meant}, (Edit(value.span, meant),))


RULE = Rule(
    "MM318",
    "value-spelling",
    "warning",
    check,
)
