"""MM104: control characters, and the escape sequences of terminals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mdmem.linter.detect.hidden_characters import CONTROL, by_line, cover, names
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.edit import Edit, Severity
from mdmem.text.spans import Span

_BREAKS = "\x0b\x0c\x85\u2028\u2029"  # these separate words as a space does


class _Kind(NamedTuple):
    name: str  # variant of the message
    severity: Severity = "warning"
    fixable: bool = False


_KINDS = (_Kind("binary", "error"), _Kind("encoding"), _Kind("control", fixable=True))  # C1 is the second


def check(subject: Subject) -> Iterator[Finding]:
    """Find control characters, grouped by line; a NUL is an error, page breaks in a plain document are a note."""
    text = subject.document.text
    if subject.is_plain:
        return
    spans = (Span(*match.span()) for match in CONTROL.finditer(text))
    for _, hits in by_line(subject.document.lines, spans):
        groups: tuple[list[Span], ...] = ([], [], [])
        for span in hits:
            groups[_kind(text, span)].append(span)
        for kind, own in zip(_KINDS, groups, strict=True):
            if own:
                facts = {"chars": names("".join(text[span.start] for span in own))}
                fix = tuple(_fix(text, span) for span in own) if kind.fixable else ()
                pages = subject.memory is None and all(text[span.start] == "\f" for span in own)
                yield Finding(cover(own), facts, fix, "note" if pages else kind.severity, kind.name)


def _kind(text: str, span: Span) -> int:
    """Return the index in `_KINDS` of a control character."""
    char = text[span.start]
    if char == "\0":
        return 0
    return 1 if "\x80" <= char <= "\x9f" and char != "\x85" and span.end - span.start == 1 else 2


def _fix(text: str, span: Span) -> Edit:
    """Delete a control character; leave a space if two words would be joined."""
    around = text[max(0, span.start - 1) : span.start], text[span.end : span.end + 1]
    separates = text[span.start] in _BREAKS and not any(char.isspace() or not char for char in around)
    return Edit(span, " " if separates else "")


RULE = Rule(
    "MM104",
    "control-character",
    "warning",
    check,
    scope="raw",
)
