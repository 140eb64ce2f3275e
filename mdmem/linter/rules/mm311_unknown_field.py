"""MM311: a field that the template does not know, or that is misspelled."""

# `difflib` is imported only for an unknown field.
from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find unlisted fields if the list is closed, and likely misspellings in any case."""
    meant_by = cache(_meant)
    for item in subject.items:
        known = item.rule.fields
        for field in item.parts.fields:
            if field.key in known or not (known or item.rule.closed_fields):
                continue
            meant = meant_by(field.key, tuple(known))
            if meant or item.rule.closed_fields:
                start = field.span.start + 1
                facts = {"field": quote(field.key), "known": ", ".join(meant or known) or "—"}
                yield Finding(item.at(Span(start, start + len(field.key))), facts)


def _meant(key: str, known: Sequence[str]) -> tuple[str, ...]:
    """Return the known field that is close to a key, if any."""
    from difflib import get_close_matches

    return tuple(get_close_matches(key.casefold(), known, 1, 0.8)) if len(key) <= 40 else ()


RULE = Rule(
    "MM311",
    "unknown-field",
    "warning",
    check,
)
