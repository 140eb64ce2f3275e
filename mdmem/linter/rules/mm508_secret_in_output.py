"""MM508: secrets in what a tool gave, which is kept as evidence."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.secrets import find_secrets
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Trust the front matter, which counts them, as long as the output is what was counted; else look for them."""
    front = subject.document.front_matter
    values, node = front.values if front else {}, front.node("secrets") if front else None
    known = "digest" in values and values["digest"] == _digest(subject.output)
    count = (values.get("secrets") or 0) if known else sum(1 for _ in find_secrets(subject.output))
    if count:
        yield Finding(node.span if node else Span(0, 0), {"count": count})


def _digest(output: str) -> str:
    from hashlib import sha256  # OpenSSL, a fortieth of a lint; no other kind of file needs it

    return sha256(output.encode("utf-8", "surrogateescape")).hexdigest()


RULE = Rule(
    "MM508",
    "secret-in-output",
    "warning",
    check,
    scope="raw",
)
