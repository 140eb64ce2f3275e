"""MM502: a password, PIN, card or identity number said in words."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.detect.locations import places
from mdmem.linter.detect.samples import is_sample
from mdmem.linter.detect.secrets import Secret, find_secrets
from mdmem.linter.detect.spoken_secrets import find_spoken
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_HEADER = pattern(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!\s{0,4}\.\.\.)")


def detect(view: DecodedView) -> Iterator[Secret]:
    """Find what is said in one look at the text, less what MM501 says better."""
    for kind, start, end in find_spoken(view.text, view.lower):
        around = view.text[max(0, start - 40) : end + 40]
        if not any(start < max(0, start - 40) + stop for _, _, stop in find_secrets(around)):
            yield kind, start, end


def check(subject: Subject) -> Iterator[Finding]:
    """Find spoken secrets, but no samples in a document; the fact is what kind it is, never the value.

    The code of a shared file is a note in a document: it is mostly passed on together with its address.
    """
    memory = subject.template is not None
    for place in places(subject, detect):
        if memory or not is_sample(subject.document.text, place.span):
            passed = place.kind == "access code" and not memory
            yield Finding(place.span, {"kind": FoundKind(place.kind)}, severity="note" if passed else None)
    text = subject.document.text
    if memory and "PRIVATE KEY" in text:  # a key may come line by line; its first line is enough
        bodies = [(start, end) for kind, start, end in find_secrets(text) if kind == "private key"]
        for match in _HEADER.finditer(text):
            if not any(start <= match.start() < end for start, end in bodies):
                yield Finding(Span(*match.span()), {"kind": FoundKind("private key")})


RULE = Rule(
    "MM502",
    "spoken-password",
    "error",
    check,
    scope="raw",
    secret=True,
)
