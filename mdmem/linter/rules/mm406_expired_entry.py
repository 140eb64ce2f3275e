"""MM406: an expired entry."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.limits import last_day
from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries past the last day that their fields, or the time to live of their kind, allow."""
    if subject.memory is None:
        return
    default = " or ".join(subject.memory.parts.get("ttl", ()))
    if not default and "::" not in subject.document.text:
        return
    # without a field an entry does not expire
    for item in subject.items:
        last = last_day(item.parts, default)
        if last is not None and last < subject.today:
            yield Finding(item.entry.text_span, {"last": last.isoformat()})


RULE = Rule(
    "MM406",
    "expired-entry",
    "warning",
    check,
)
