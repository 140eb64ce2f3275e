"""MM507: percent signs, character codes or base64 that hide what MM501–MM505 would find in plain text."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import find_links
from mdmem.linter.detect.locations import Detect, DetectedSpan, places, quoted
from mdmem.linter.detect.prompt_injection import find_prompt_injection
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.rules import mm501_secret, mm502_spoken_password, mm504_role_tag

_ANYWHERE = ("MM501 secret", "MM502 spoken-password")  # errors in any file; the others depend on who reads it


def check(subject: Subject) -> Iterator[Finding]:
    """Look into encoded runs; what the plain text shows already is left to the rule that says it more clearly."""
    if not any(view.hidden for view in subject.views):
        return
    most = subject.settings.max_query_words
    detectors: tuple[tuple[str, Detect], ...] = (
        ("MM501 secret", mm501_secret.detect),
        ("MM502 spoken-password", mm502_spoken_password.detect),
        ("MM503 instruction-override", find_prompt_injection),
        ("MM504 role-tag", mm504_role_tag.detect),
        ("MM505 exfiltration-link", lambda view: find_links(view, most)),
    )
    hidden = [(name, place) for name, detect in detectors for place in places(subject, detect, hidden=True)]
    if not hidden:
        return
    shown = [place for _, detect in detectors for place in places(subject, detect)]
    end = -1
    for name, place in sorted(hidden, key=lambda found: (found[1].span, found[0])):
        if place.span.start >= end and not _overlaps(place, shown):
            end = place.span.end
            if subject.template is not None or name in _ANYWHERE:
                yield Finding(place.span, {"rule": name})
            elif not quoted(subject, place.span):
                yield Finding(place.span, {"rule": name}, severity="warning")


def _overlaps(place: DetectedSpan, shown: list[DetectedSpan]) -> bool:
    return any(place.span.overlaps(other.span) for other in shown)


RULE = Rule(
    "MM507",
    "encoded-payload",
    "error",
    check,
    scope="raw",
    secret=True,
)
