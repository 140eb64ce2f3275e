"""MM505: a link, an image or a sentence that sends data out."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import find_links
from mdmem.linter.detect.locations import detected_spans, quoted
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find them; a link with a variable is an error; quotations in a document are skipped."""
    most = subject.settings.max_query_words
    for match in detected_spans(subject, lambda view: find_links(view, most)):
        if subject.template is not None or not quoted(subject, match.span):
            yield Finding(
                match.span, {"kind": FoundKind(match.kind)}, severity="error" if match.kind == "template" else None
            )


RULE = Rule(
    "MM505",
    "exfiltration-link",
    "warning",
    check,
    scope="raw",
)
