"""MM501: a key, a token or another secret of a known form."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.detect.locations import places
from mdmem.linter.detect.samples import is_sample
from mdmem.linter.detect.secrets import Secret, find_secrets
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject


def detect(view: DecodedView) -> Iterator[Secret]:
    """Find secrets in one look at the text."""
    return find_secrets(view.text, view.runs)


def check(subject: Subject) -> Iterator[Finding]:
    """Find secrets, but no samples in a document; the fact is what kind it is, never the secret."""
    for place in places(subject, detect):
        if subject.template is not None or not is_sample(subject.document.text, place.span):
            yield Finding(place.span, {"kind": FoundKind(place.kind)})


RULE = Rule(
    "MM501",
    "secret",
    "error",
    check,
    scope="raw",
    secret=True,
)
