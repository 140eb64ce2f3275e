"""MM104: control characters, and the escape sequences of terminals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.views.hidden_characters import CONTROL, by_line, cover, in_place_of, is_misread, names
from mdmem.text.edit import Edit, Severity
from mdmem.text.encodings import as_utf8
from mdmem.text.spans import Span


class _Kind(NamedTuple):
    name: str  # variant of the message
    severity: Severity = "warning"
    fixable: bool = False


_KINDS = (_Kind("binary", "error"), _Kind("encoding"), _Kind("control", fixable=True))  # C1 is the second


def check(subject: Subject) -> Iterator[Finding]:
    """Find control characters, grouped by line; a NUL is an error, page breaks in a plain document are a note."""
    text = subject.document.text
    if not CONTROL.search(subject.uncommon):
        return
    if "\0" in text and as_utf8(subject.document.to_bytes()) is not None:  # every other byte is half a letter
        first = text.index("\0")
        yield Finding(Span(first, first + 1), {"chars": names("\0")}, severity="error", variant="utf16")
        return
    spans = (Span(*match.span()) for match in CONTROL.finditer(text))
    for _, hits in by_line(subject.document.lines, spans):
        groups: tuple[list[Span], ...] = ([], [], [])
        for span in hits:
            groups[_kind(text, span)].append(span)
        for kind, own in zip(_KINDS, groups, strict=True):
            if own:
                facts = {"chars": names("".join(text[span.start] for span in own))}
                fix = tuple(Edit(span, in_place_of(text, span)) for span in own) if kind.fixable else ()
                pages = subject.memory is None and all(text[span.start] == "\f" for span in own)
                yield Finding(cover(own), facts, fix, "note" if pages else kind.severity, kind.name)


def _kind(text: str, span: Span) -> int:
    """Return the index in `_KINDS` of a control character."""
    if text[span.start] == "\0":
        return 0
    return 1 if is_misread(text, span) else 2


RULE = Rule(
    "MM104",
    "control-character",
    "warning",
    check,
    scope="raw",
)
