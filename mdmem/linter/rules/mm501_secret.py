"""MM501: a key, a token or another secret of a known form."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.links import in_media_address, signs_page
from mdmem.linter.detect.locations import detected_spans, of_known_answer
from mdmem.linter.detect.samples import is_sample, reads_as_words
from mdmem.linter.detect.secrets import Secret, find_secrets
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.linter.views.decoded_views import DecodedView

_SIGNATURES = ("key", "JWT")  # kinds that an address may be signed with; the key of a provider stays a secret

_BY_NAME = ("key", "Bearer token")  # kinds that only the word before the value tells
_WITHOUT_FORM = (*_BY_NAME, "Basic credentials", "JWT", "password in an address", "private key")


def detect(view: DecodedView) -> Iterator[Secret]:
    """Find secrets in one view of the text."""
    return find_secrets(view.text, view.runs)


def check(subject: Subject) -> Iterator[Finding]:
    """Find secrets, except samples in a document; the message names the kind, never the secret.

    Some are notes: the signature in the address of an image or a video, which opens that one file; in a document also
    that of a page, and a value without the form of a provider that is called a test vector or an example.
    """
    text, is_memory = subject.document.text, subject.template is not None
    for match in detected_spans(subject, detect):
        if not is_memory and (
            is_sample(text, match.span) or (match.kind in _BY_NAME and reads_as_words(match.span.of(text)))
        ):
            continue
        is_signature = match.kind in _SIGNATURES and (
            in_media_address(text, match.span.start) or (not is_memory and signs_page(text, match.span))
        )
        is_shown = not is_memory and match.kind in _WITHOUT_FORM and of_known_answer(subject, match.span)
        yield Finding(
            match.span, {"kind": FoundKind(match.kind)}, severity="note" if is_signature or is_shown else None
        )


RULE = Rule(
    "MM501",
    "secret",
    "error",
    check,
    scope="raw",
    secret=True,
)
