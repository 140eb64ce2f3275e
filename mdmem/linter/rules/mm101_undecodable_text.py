"""MM101: bytes that are no UTF-8, and the character that marks where text was lost before."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.detect.hidden_characters import by_line, cover
from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BYTES = pattern("[\udc80-\udcff]+")  # as `Document.text` keeps them
_LOST = pattern("\ufffd+")
_BOMS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}
_DAMAGED = LocalizedFact("a character was cut or damaged here: write it again", "这里有字符被截断或损坏：请重新写上")
_UNKNOWN = LocalizedFact(
    "open it in the encoding it was written in, then save it as UTF-8", "请用原来的编码打开，再存为 UTF-8"
)


def check(subject: Subject) -> Iterator[Finding]:
    """Find such bytes: once where the whole file has another encoding, else on each line."""
    text, lines = subject.document.text, subject.document.lines
    if not subject.is_text and (found := [Span(*match.span()) for match in _BYTES.finditer(text)]):
        count = sum(span.end - span.start for span in found)
        if sum(not char.isascii() for char in text) - count >= count:
            for _, spans in by_line(lines, found):
                yield _finding(spans, sum(span.end - span.start for span in spans), _DAMAGED)
        else:
            yield _finding(found[:1], count, _advice(subject.document.to_bytes()))
    if subject.memory is not None and "\ufffd" in text:
        for _, spans in by_line(lines, (Span(*match.span()) for match in _LOST.finditer(text))):
            facts = {
                "what": LocalizedFact("a character was lost here (U+FFFD)", "这里丢失过字符（U+FFFD）"),
                "next": LocalizedFact("write it again, or take it from an older copy", "请重新写上，或从旧副本恢复"),
            }
            yield Finding(cover(spans), facts, severity="warning")


def _finding(spans: list[Span], count: int, advice: LocalizedFact) -> Finding:
    what = LocalizedFact(f"not UTF-8: {count} bytes", f"不是 UTF-8：{count} 个字节")
    return Finding(cover(spans), {"what": what, "next": advice})


def _advice(data: bytes) -> LocalizedFact:
    name = _BOMS.get(data[:2]) or _guess(b" ".join(line for line in data.splitlines() if not line.isascii()))
    if not name:
        return _UNKNOWN
    return LocalizedFact(f"it looks like {name}: save it as UTF-8", f"看起来是 {name}：请存为 UTF-8")


def _guess(data: bytes) -> str:
    """Name the likely encoding; GB 2312's characters are the common ones of GBK, kana are those of Shift-JIS."""
    if b"\0" in data:
        return ""
    if (text := _decode(data, "gb18030")) and _mostly(text.encode("gb2312", "ignore").decode("gb2312"), text):
        return "GBK"
    if (text := _decode(data, "cp932")) and re.search("[\u3041-\u30fc]", text):
        return "Shift-JIS"
    if (text := _decode(data, "cp1252")) and _mostly("".join(filter(str.isalpha, text)), text):
        return "Windows-1252 (Latin-1)"
    return ""


def _mostly(sensible: str, text: str) -> bool:
    """Tell whether most characters beyond ASCII are sensible ones."""
    return 2 * sum(not char.isascii() for char in sensible) > sum(not char.isascii() for char in text)


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
    en=RuleText("{what.en}", "{next.en}"),
    zh=RuleText("{what.zh}", "{next.zh}"),
    scope="raw",
)
