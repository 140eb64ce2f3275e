"""MM101: bytes that are not UTF-8, and the replacement character, which marks text that was lost before."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.views.hidden_characters import by_line, cover
from mdmem.text.encodings import as_utf8, likely_encoding
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BYTES = pattern("[\udc80-\udcff]+")  # bytes that are not UTF-8, as `Document.text` keeps them
_LOST = pattern("\ufffd+")


def check(subject: Subject) -> Iterator[Finding]:
    """Find such bytes, once if the whole file has another encoding, else on each line."""
    text, lines = subject.document.text, subject.document.lines
    if not subject.is_text and (undecodable := [Span(*match.span()) for match in _BYTES.finditer(text)]):
        count = sum(span.end - span.start for span in undecodable)
        if sum(not char.isascii() for char in text) - count >= count:
            for _, spans in by_line(lines, undecodable):
                yield _finding(spans, sum(span.end - span.start for span in spans), "damaged")
        else:
            data = subject.document.to_bytes()
            name = likely_encoding(data)
            known = "convertible" if subject.memory is not None and as_utf8(data) is not None else "encoding"
            yield _finding(undecodable[:1], count, known if name else "unknown", name)
    if subject.memory is not None and "\ufffd" in text:
        for _, spans in by_line(lines, (Span(*match.span()) for match in _LOST.finditer(text))):
            yield Finding(cover(spans), severity="warning", variant="lost")


def _finding(spans: list[Span], count: int, variant: str, name: str = "") -> Finding:
    return Finding(cover(spans), {"count": count, "name": name}, variant=variant)


RULE = Rule(
    "MM101",
    "undecodable-text",
    "error",
    check,
    scope="raw",
)
