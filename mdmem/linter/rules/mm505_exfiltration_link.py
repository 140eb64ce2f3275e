"""MM505: a link, an image or a sentence that sends data out."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import asks_nothing_private, find_links
from mdmem.linter.detect.locations import detected_spans, quoted
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find them; a link with a variable is an error; quotations in a document are skipped.

    So is a link of a document whose variables are named after nothing private: `?envId=${envId}` is a manual's.
    """
    most = subject.settings.max_query_words
    for match in detected_spans(subject, lambda view: find_links(view, most)):
        is_template = match.kind == "template"
        if subject.template is None and (
            quoted(subject, match.span) or (is_template and asks_nothing_private(subject.document.text, match.span))
        ):
            continue
        yield Finding(match.span, {"kind": FoundKind(match.kind)}, severity="error" if is_template else None)


RULE = Rule(
    "MM505",
    "exfiltration-link",
    "warning",
    check,
    scope="raw",
)
