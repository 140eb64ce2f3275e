"""MM502: a password, PIN, card or identity number said in words."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.detect.locations import places
from mdmem.linter.detect.samples import is_sample
from mdmem.linter.detect.secrets import Secret, find_secrets
from mdmem.linter.detect.spoken_secrets import find_spoken
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject


def detect(view: DecodedView) -> Iterator[Secret]:
    """Find what is said in one look at the text, less what MM501 says better."""
    for kind, start, end in find_spoken(view.text, view.lower):
        around = view.text[max(0, start - 40) : end + 40]
        if not any(start < max(0, start - 40) + stop for _, _, stop in find_secrets(around)):
            yield kind, start, end


def check(subject: Subject) -> Iterator[Finding]:
    """Find spoken secrets, but no samples in a document; the fact is what kind it is, never the value."""
    for place in places(subject, detect):
        if subject.template is not None or not is_sample(subject.document.text, place.span):
            yield Finding(place.span, {"kind": FoundKind(place.kind)})


RULE = Rule(
    "MM502",
    "spoken-password",
    "error",
    check,
    scope="raw",
    secret=True,
)
