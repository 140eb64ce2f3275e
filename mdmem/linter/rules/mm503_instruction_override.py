"""MM503: a sentence that gives the model new orders."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.locations import about_security, cited, detected_spans, quoted
from mdmem.linter.detect.prompt_injection import find_prompt_injection
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_SENTENCE = 160  # characters of a sentence that are searched before an order
_FORBIDS = pattern(
    r"\b(?:must|may|should|can|will|shall|do|does)\s?(?:not|n't|never)\b[^.!?:\n]{0,120}\b(?:tell|ask|instruct|make|get|cause|lead)s?"
    r"\s(?:the|an?|any|your)\s[\w -]{1,30}\sto\s\Z",
    re.IGNORECASE,
)
_CLOSING = pattern(r"[\"`'”」』»’]")
_BEHIND = 120  # characters behind a quotation in which it is refused
_REFUSED = pattern(  # «… "ignore previous instructions", never follow it»
    r"[^.!?。！？]{0,40}?(?:(?:never|not|n['’]t)\s(?:\w{1,12}\s){0,2}?(?:follow|obey|act|comply|execute|believe|trust|apply)"
    r"|(?:ignore|refuse|disregard)\s(?:it|them|that|this|such)\b|不(?:要|得|能|会|可|应)?(?:照做|听从|遵守|遵从|执行|服从|理会|相信|当真)"
    r"|拒绝|従わな|무시)",
    re.IGNORECASE,
)
# «a flag to override the system prompt», «plugins can override …»: what something is for, and no order
_PURPOSE = pattern(
    r"\b(?:(?:flags?|options?|parameters?|settings?|fields?|hooks?|methods?|ways?|how|used?|able|possible|want|wish|like)\b[^.!?\n]{0,60}?\sto"
    r"|[`)\]]\sto|(?:can|could|may|might|allows?|lets?|enables?|supports?|permits?)(?:\s(?:also|be|users?|one|clients?|plugins?|optionally)){0,2})\s\Z",
    re.IGNORECASE,
)
_WISH = pattern(r"\b(?:if|when|unless|in\scase)\syou\s(?:want|need|wish|like)\sto\s\Z", re.IGNORECASE)
_TO_READERS = ("secrecy", "address")  # in a document these are for whoever works on it
_PERSONAS = ("soul", "agent")  # kinds that define who the agent is


def check(subject: Subject) -> Iterator[Finding]:
    """Find orders; outside memory only those that are not quoted, and as a warning.

    In a memory, an order in quotation marks is a note if its line is about attacks or security, or refuses it.
    """
    template = subject.template
    for match in detected_spans(subject, find_prompt_injection):
        if template is None:
            if (
                match.kind not in _TO_READERS
                and not quoted(subject, match.span)
                and not _forbidden(subject, match.span)
                and not _is_purpose(subject.document.text, match.span)
            ):
                yield Finding(match.span, {"kind": FoundKind(match.kind)}, severity="warning")
        elif not (match.kind == "new role" and template.kind in _PERSONAS):
            is_told = cited(subject, match.span) and (
                about_security(subject, match.span) or _refused(subject.document.text, match.span)
            )
            yield Finding(match.span, {"kind": FoundKind(match.kind)}, severity="note" if is_told else None)


def _forbidden(subject: Subject, span: Span) -> bool:
    """Return True if the sentence forbids the order: «it must never ask the agent to …»."""
    return _FORBIDS.search(subject.document.text, max(0, span.start - _SENTENCE), span.start) is not None


def _is_purpose(text: str, span: Span) -> bool:
    """Return True if a document says what may override a prompt; of the reader's own only if the reader wants it."""
    order = span.of(text).casefold()
    if not order.startswith("overrid"):
        return False
    shape = _WISH if "your" in order.split() else _PURPOSE
    return shape.search(text, max(0, span.start - _SENTENCE), span.start) is not None


def _refused(text: str, span: Span) -> bool:
    """Return True if the sentence goes on behind the quotation and says not to follow it."""
    closing = _CLOSING.search(text, span.end, span.end + _BEHIND)
    return closing is not None and _REFUSED.match(text, closing.end(), closing.end() + _BEHIND) is not None


RULE = Rule(
    "MM503",
    "instruction-override",
    "error",
    check,
    scope="raw",
)
