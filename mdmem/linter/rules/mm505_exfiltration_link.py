"""MM505: a link, an image or a sentence that sends data out."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import asks_nothing_private, find_links, in_plain_link
from mdmem.linter.detect.locations import detected_spans, quoted
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.text.edit import Severity


def check(subject: Subject) -> Iterator[Finding]:
    """Find them; a link with a variable is an error; quotations in a document are skipped.

    So is a link of a document whose variables are named after nothing private: `?envId=${envId}` is a manual's. One
    that holds text in base64, which only a person opens, is a note there.
    """
    text, most = subject.document.text, subject.settings.max_query_words
    for match in detected_spans(subject, lambda view: find_links(view, most)):
        severity: Severity | None = "error" if match.kind == "template" else None
        if subject.template is None:
            if quoted(subject, match.span) or (match.kind == "template" and asks_nothing_private(text, match.span)):
                continue
            if match.kind == "data" and in_plain_link(text, match.span):
                severity = "note"
        yield Finding(match.span, {"kind": FoundKind(match.kind)}, severity=severity)


RULE = Rule(
    "MM505",
    "exfiltration-link",
    "warning",
    check,
    scope="raw",
)
