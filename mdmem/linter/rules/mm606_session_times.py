"""MM606: a session that ended before it began."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Compare `started` and `ended` of the front matter, if both can be read."""
    front = subject.document.front_matter
    if subject.memory is None or subject.memory.kind != "session" or front is None:
        return
    values = front.values
    started, ended = _moment(values.get("started")), _moment(values.get("ended"))
    node = front.node("ended")
    if started and ended and node and _earlier(ended, started):
        yield Finding(node.span, {"started": values["started"], "ended": values["ended"]})


def _moment(value: object) -> dt.datetime | None:
    """Read a date with its time; a date alone does not order two sessions."""
    if not isinstance(value, str) or len(value) <= len("2026-02-13"):
        return None
    try:
        return dt.datetime.fromisoformat(value)
    except ValueError:
        return None


def _earlier(one: dt.datetime, other: dt.datetime) -> bool:
    """Return whether a time is before another; a local time and one with a zone are not compared."""
    return (one.tzinfo is None) == (other.tzinfo is None) and one < other


RULE = Rule(
    "MM606",
    "session-times",
    "warning",
    check,
)
