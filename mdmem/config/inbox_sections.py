"""The sections of the inbox: entries that wait for room, which are memories, and proposals, which are not in effect."""

from __future__ import annotations

from mdmem.formats.template import Template
from mdmem.text.entry import read_entry

INBOX = "inbox"  # the kind
OVERFLOW, PROPOSALS = "overflow", "proposals"  # section aliases in the shipped templates of both languages
_PROPOSED_BY = "by"
REPLACES = "replaces"  # the field of a waiting fact with the words of the line that it replaces or ends
FACT, SINCE = "fact", "since"  # fields of a correction: the line that says what holds, and the day from which it does


def is_proposal(template: Template, section: str, text: str) -> bool:
    """Return whether a text of the inbox is not in effect: only what waits for room is, unless somebody proposes it."""
    room = template.name(OVERFLOW)
    return room is None or template.name(section) != room or read_entry(text).field(_PROPOSED_BY) is not None
