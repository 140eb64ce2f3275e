"""MM101: bytes that are not UTF-8, and the replacement character, which marks text that was lost before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.hidden_characters import by_line, cover
from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BYTES = pattern("[\udc80-\udcff]+")  # bytes that are not UTF-8, as `Document.text` keeps them
_LOST = pattern("\ufffd+")
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


def check(subject: Subject) -> Iterator[Finding]:
    """Find such bytes, once if the whole file has another encoding, else on each line."""
    text, lines = subject.document.text, subject.document.lines
    if not subject.is_text and (undecodable := [Span(*match.span()) for match in _BYTES.finditer(text)]):
        count = sum(span.end - span.start for span in undecodable)
        if sum(not char.isascii() for char in text) - count >= count:
            for _, spans in by_line(lines, undecodable):
                yield _finding(spans, sum(span.end - span.start for span in spans), "damaged")
        else:
            yield _finding(undecodable[:1], count, *_advice(subject.document.to_bytes()))
    if subject.memory is not None and "\ufffd" in text:
        for _, spans in by_line(lines, (Span(*match.span()) for match in _LOST.finditer(text))):
            yield Finding(cover(spans), severity="warning", variant="lost")


def _finding(spans: list[Span], count: int, variant: str, name: str = "") -> Finding:
    return Finding(cover(spans), {"count": count, "name": name}, variant=variant)


def _advice(data: bytes) -> tuple[str, str]:
    """Return the variant of the message for a file in another encoding, and the name of the likely one."""
    name = _BOMS.get(data[:2]) or _guess(b" ".join(line for line in data.splitlines() if not line.isascii()))
    return ("encoding" if name else "unknown"), name


def _guess(data: bytes) -> str:
    """Return the likely encoding; the characters of GB 2312 are the common ones of GBK, kana those of Shift-JIS."""
    if b"\0" in data:
        return ""
    if (text := _decode(data, "gb18030")) and _mostly(text.encode("gb2312", "ignore").decode("gb2312"), text):
        return "GBK"
    if (text := _decode(data, "cp932")) and re.search("[\u3041-\u30fc]", text):
        return "Shift-JIS"
    if (text := _decode(data, "cp1252")) and _mostly("".join(filter(str.isalpha, text)), text):
        return "Windows-1252 (Latin-1)"
    return ""


def _mostly(common: str, text: str) -> bool:
    """Return whether most characters beyond ASCII are common ones."""
    return 2 * sum(not char.isascii() for char in common) > sum(not char.isascii() for char in text)


def _decode(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""


RULE = Rule(
    "MM101",
    "undecodable-text",
    "error",
    check,
    scope="raw",
)
