"""MM312: a field of an entry, or a key of the front matter, with an invalid value."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.field_values import example, unfit
from mdmem.linter.rule import Finding, Rule, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Find values without the type, choice or range that the template requires."""
    for value, meant in unfit(subject):
        if not meant:  # else MM318 corrects it
            yield Finding(value.span, {"field": quote(value.key), "example": example(value.rule)})


RULE = Rule(
    "MM312",
    "invalid-field",
    "error",
    check,
)
