"""MM501: a key, a token or another secret of a known form."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import in_media_address
from mdmem.linter.detect.locations import detected_spans
from mdmem.linter.detect.samples import is_sample
from mdmem.linter.detect.secrets import Secret, find_secrets
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.linter.views.decoded_views import DecodedView

_SIGNATURES = ("key", "JWT")  # kinds that an address may be signed with; the key of a provider stays a secret


def detect(view: DecodedView) -> Iterator[Secret]:
    """Find secrets in one view of the text."""
    return find_secrets(view.text, view.runs)


def check(subject: Subject) -> Iterator[Finding]:
    """Find secrets, except samples in a document; the message names the kind, never the secret.

    The signature in the address of an image or a video opens that one file, and is a note.
    """
    for match in detected_spans(subject, detect):
        if subject.template is not None or not is_sample(subject.document.text, match.span):
            is_signature = match.kind in _SIGNATURES and in_media_address(subject.document.text, match.span.start)
            yield Finding(match.span, {"kind": FoundKind(match.kind)}, severity="note" if is_signature else None)


RULE = Rule(
    "MM501",
    "secret",
    "error",
    check,
    scope="raw",
    secret=True,
)
