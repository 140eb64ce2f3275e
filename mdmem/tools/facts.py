"""The tool over facts: `memory_fact`."""

from __future__ import annotations

from mdmem.facade import Facade
from mdmem.tools import model
from mdmem.tools.model import ToolReply


def memory_fact(
    host: Facade,
    actor: str,
    subject: str,
    predicate: str,
    content: str,
    type: str = "",  # noqa: A002 - published
    source: str = "",
    *,
    also: bool = False,
) -> ToolReply:
    """Record a fact; the value that it replaces moves to the older ones (K004, K018)."""
    outcome = host.facts.set(
        subject, predicate, content, type=type, source=source, also=also, actor=actor, reason="memory_fact"
    )
    return model.reply_from_outcome(outcome)
