"""MM502: a password, PIN, card or identity number in a sentence."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.locations import DetectedSpan, detected_spans, is_example, of_known_answer
from mdmem.linter.detect.samples import is_sample
from mdmem.linter.detect.secrets import Secret, find_secrets
from mdmem.linter.detect.spoken_secrets import find_spoken
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.linter.views.decoded_views import DecodedView
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_HEADER = pattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?!(?:\s|\\[nr]){0,4}[A-Za-z0-9+/]{0,12}(?:\.\.\.|…))"
)

# words before a recovery phrase that is an example; and a phrase that repeats one word
_FOR_TESTS = pattern(
    r"(?<![a-z])(?i:test|example|sample|demo|dummy|fake)|Test(?=[A-Z])|(?i:replace|your\sown)|替换|示例|测试"
)
_REPEATED = pattern(r"(?i:(?P<word>[a-z]{3,8})(?:\s(?P=word)){3})\b")
_BEFORE = 120  # characters before a phrase in which that is searched


def detect(view: DecodedView) -> Iterator[Secret]:
    """Find such values in one view of the text, except those that MM501 finds."""
    for kind, start, end in find_spoken(view):
        first = max(0, start - 40)
        keys = find_secrets(view.text[first : end + 40])
        if not any(first + begin < end and start < first + stop for _, begin, stop in keys):
            yield kind, start, end


def check(subject: Subject) -> Iterator[Finding]:
    """Find spoken secrets, except samples in a document; the message names the kind, never the value.

    In a document, some are notes: see `_is_shown`.
    """
    is_memory = subject.template is not None
    for match in detected_spans(subject, detect):
        if is_memory or not is_sample(subject.document.text, match.span):
            is_shown = not is_memory and _is_shown(subject, match)
            yield Finding(match.span, {"kind": FoundKind(match.kind)}, severity="note" if is_shown else None)
    text = subject.document.text
    if is_memory and "PRIVATE KEY" in text:  # a key may come line by line; its first line is enough
        bodies = [(start, end) for kind, start, end in find_secrets(text) if kind == "private key"]
        for header in _HEADER.finditer(text):
            if not any(start <= header.start() < end for start, end in bodies):
                yield Finding(Span(*header.span()), {"kind": FoundKind("private key")})


def _is_shown(subject: Subject, match: DetectedSpan) -> bool:
    """Return True for what a document publishes or only shows.

    The code of a shared file is usually published together with its address. A value may be called a test vector or an
    example, and the number of a card in a block of code shows what a function does.
    """
    start, end = match.span
    if match.kind == "access code" or of_known_answer(subject, match.span):
        return True
    if match.kind == "card number":
        return is_example(subject, match.span)
    text = subject.document.text
    return match.kind == "recovery phrase" and (
        _REPEATED.match(text, start, end) is not None
        or _FOR_TESTS.search(text, max(0, start - _BEFORE), start) is not None
    )


RULE = Rule(
    "MM502",
    "spoken-password",
    "error",
    check,
    scope="raw",
    secret=True,
)
