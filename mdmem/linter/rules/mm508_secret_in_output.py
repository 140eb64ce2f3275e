"""MM508: secrets in the output of a tool, which is kept as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from mdmem.linter.masking import output_secrets, printed_secrets
from mdmem.linter.rule import Finding, FoundKind, Rule, Subject
from mdmem.text.spans import Span

_HEAD = 8_000  # characters in which NUL tells that an output is no text, as git looks


def check(subject: Subject) -> Iterator[Finding]:
    """Search the output, unless the front matter belongs to it and counts none; a count without a place is told too."""
    front = subject.document.front_matter
    values, node = front.values if front else {}, front.node("secrets") if front else None
    is_counted = "digest" in values and values["digest"] == _digest(subject.output)
    count = values.get("secrets") if is_counted else None
    if (is_counted and not count) or "\0" in subject.output[:_HEAD]:
        return
    begin, found = len(subject.document.text), False
    for name, start, end in printed_secrets(subject.output, output_secrets) if subject.output else ():
        found = True
        yield Finding(Span(begin + start, begin + end), {"kind": FoundKind(name)})
    if count and not found:
        yield Finding(node.span if node else Span(0, 0), {"count": count}, variant="counted")


def _digest(output: str) -> str:
    return sha256(output.encode("utf-8", "surrogateescape")).hexdigest()


RULE = Rule(
    "MM508",
    "secret-in-output",
    "warning",
    check,
    scope="raw",
    secret=True,
)
