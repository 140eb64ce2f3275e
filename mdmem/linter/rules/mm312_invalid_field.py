"""MM312: a field of an entry, or a key of the front matter, whose value is not what its template says."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.field_values import example, unfit
from mdmem.linter.rule import Finding, Rule, Subject, quote


def check(subject: Subject) -> Iterator[Finding]:
    """Find values that have not the type, choice or range that the template asks for."""
    for found, meant in unfit(subject):
        if not meant:  # else MM318 puts it right
            yield Finding(found.span, {"field": quote(found.key), "example": example(found.rule)})


RULE = Rule(
    "MM312",
    "invalid-field",
    "error",
    check,
)
