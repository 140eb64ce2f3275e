"""MM508: secrets in the output of a tool, which is kept as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from mdmem.linter.detect.secrets import find_secrets
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Use the count in the front matter if it belongs to this output; else search the output for secrets."""
    front = subject.document.front_matter
    values, node = front.values if front else {}, front.node("secrets") if front else None
    is_counted = "digest" in values and values["digest"] == _digest(subject.output)
    count = (values.get("secrets") or 0) if is_counted else sum(1 for _ in find_secrets(subject.output))
    if count:
        yield Finding(node.span if node else Span(0, 0), {"count": count})


def _digest(output: str) -> str:
    return sha256(output.encode("utf-8", "surrogateescape")).hexdigest()


RULE = Rule(
    "MM508",
    "secret-in-output",
    "warning",
    check,
    scope="raw",
    measure="count",
    of_file=True,
)
