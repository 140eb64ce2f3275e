"""MM606: a session ended before it began."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from mdmem.linter.rule import Finding, Rule, Subject

if TYPE_CHECKING:
    import datetime as dt


def check(subject: Subject) -> Iterator[Finding]:
    """Compare `started` and `ended` of the front matter, where both can be read."""
    front = subject.document.front_matter
    if subject.memory is None or subject.memory.kind != "session" or front is None:
        return
    values = front.values
    started, ended = _moment(values.get("started")), _moment(values.get("ended"))
    node = front.node("ended")
    if started and ended and node and _earlier(ended, started):
        yield Finding(node.span, {"started": values["started"], "ended": values["ended"]})


def _moment(value: object) -> dt.datetime | None:
    """Read a date with its time; a date alone does not say which of two came first."""
    if not isinstance(value, str) or len(value) <= len("2026-02-13"):
        return None
    import datetime as dt

    try:
        return dt.datetime.fromisoformat(value)
    except ValueError:
        return None


def _earlier(one: dt.datetime, other: dt.datetime) -> bool:
    """Compare two times; a local one and one with a zone cannot be compared."""
    return (one.tzinfo is None) == (other.tzinfo is None) and one < other


RULE = Rule(
    "MM606",
    "session-times",
    "warning",
    check,
)
