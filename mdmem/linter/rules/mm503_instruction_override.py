"""MM503: a sentence that tries to give the model new orders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.locations import cited, discussed, places, quoted
from mdmem.linter.detect.prompt_injection import find_prompt_injection
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_SENTENCE = 160  # characters of it before an order
_FORBIDS = pattern(
    r"\b(?:must|may|should|can|will|shall|do|does)\s?(?:not|n't|never)\b[^.!?:\n]{0,120}\b(?:tell|ask|instruct|make|get|cause|lead)s?"
    r"\s(?:the|an?|any|your)\s[\w -]{1,30}\sto\s\Z",
    re.IGNORECASE,
)
_PERSONAS = ("soul", "agent")  # files whose business it is to say who the agent is


def check(subject: Subject) -> Iterator[Finding]:
    """Find orders; outside memory, where no model obeys them, only those that are not quoted, and as a warning.

    In a memory an order in quotation marks, on a line that speaks of attacks, is a note: somebody wrote about security.
    """
    template = subject.template
    for place in places(subject, find_prompt_injection):
        if template is None:
            if place.kind != "secrecy" and not quoted(subject, place.span) and not _forbidden(subject, place.span):
                yield Finding(place.span, {"kind": FoundKind(place.kind)}, severity="warning")
        elif not (place.kind == "new role" and template.kind in _PERSONAS):
            about = cited(subject, place.span) and discussed(subject, place.span)
            yield Finding(place.span, {"kind": FoundKind(place.kind)}, severity="note" if about else None)


def _forbidden(subject: Subject, span: Span) -> bool:
    """Return True if the sentence says what must not be tried: «it must never ask the agent to …»."""
    return _FORBIDS.search(subject.document.text, max(0, span.start - _SENTENCE), span.start) is not None


RULE = Rule(
    "MM503",
    "instruction-override",
    "error",
    check,
    scope="raw",
)
