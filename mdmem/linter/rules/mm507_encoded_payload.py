"""MM507: percent codes, character codes or base64 that hide what MM501–MM505 find in plain text."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import asks_nothing_private, find_links
from mdmem.linter.detect.locations import Detect, DetectedSpan, detected_spans, quoted
from mdmem.linter.detect.prompt_injection import find_prompt_injection, find_role_tags
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.rules import mm501_secret, mm502_spoken_password

_LINK = "MM505 exfiltration-link"
_ANYWHERE = ("MM501 secret", "MM502 spoken-password")  # errors in any file


def check(subject: Subject) -> Iterator[Finding]:
    """Search the encoded runs; what is visible in the plain text is left to its own rule."""
    if not any(view.hidden for view in subject.views):
        return
    most = subject.settings.max_query_words
    detectors: tuple[tuple[str, Detect], ...] = (
        ("MM501 secret", mm501_secret.detect),
        ("MM502 spoken-password", mm502_spoken_password.detect),
        ("MM503 instruction-override", find_prompt_injection),
        ("MM504 role-tag", find_role_tags),
        (_LINK, lambda view: find_links(view, most)),
    )
    hidden = [(name, match) for name, detect in detectors for match in detected_spans(subject, detect, hidden=True)]
    if not hidden:
        return
    plain_matches = [match for _, detect in detectors for match in detected_spans(subject, detect)]
    end = -1
    for name, match in sorted(hidden, key=lambda one: (one[1].span, one[0])):
        if match.span.start >= end and not _overlaps(match, plain_matches):
            end = match.span.end
            if subject.template is not None or name in _ANYWHERE:
                yield Finding(match.span, {"rule": name})
            elif not quoted(subject, match.span) and not _is_form(subject, name, match):
                yield Finding(match.span, {"rule": name}, severity="warning")


def _is_form(subject: Subject, name: str, match: DetectedSpan) -> bool:
    """Return True for a link of a document whose encoded variables are named after nothing private."""
    return name == _LINK and match.kind == "template" and asks_nothing_private(subject.document.text, match.span)


def _overlaps(match: DetectedSpan, plain_matches: list[DetectedSpan]) -> bool:
    return any(match.span.overlaps(other.span) for other in plain_matches)


RULE = Rule(
    "MM507",
    "encoded-payload",
    "error",
    check,
    scope="raw",
    secret=True,
)
