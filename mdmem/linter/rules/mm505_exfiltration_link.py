"""MM505: a link, an image or a sentence that carries data out."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import find_links
from mdmem.linter.detect.locations import places, quoted
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find them; one that is filled in when used is an error; what a document only quotes is nothing."""
    most = subject.settings.max_query_words
    for place in places(subject, lambda view: find_links(view, most)):
        if subject.template is not None or not quoted(subject, place.span):
            yield Finding(
                place.span, {"kind": FoundKind(place.kind)}, severity="error" if place.kind == "template" else None
            )


RULE = Rule(
    "MM505",
    "exfiltration-link",
    "warning",
    check,
    scope="raw",
)
