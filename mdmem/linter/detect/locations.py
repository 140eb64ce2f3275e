"""What the safety rules share: how a detector's matches become places, and when a text only quotes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mdmem.linter.detect.decoded_views import DecodedView
from mdmem.linter.rule import LocalizedFact, Subject
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span


class Match(NamedTuple):
    """What a detector sees in a view: its kind and its place in the view's text."""

    kind: str
    start: int
    end: int


class DetectedSpan(NamedTuple):
    """A match brought back to the file."""

    kind: str
    span: Span

    @property
    def words(self) -> LocalizedFact:
        """The kind in both languages; makers' own names are the same in both."""
        return LocalizedFact(self.kind, _CHINESE.get(self.kind, self.kind))


_CHINESE = {
    "password": "密码", "PIN": "PIN 码", "CVV": "安全码", "access code": "提取码", "card number": "卡号",
    "identity number": "证件号", "bank account": "银行账号", "recovery phrase": "助记词",
    "key": "密钥", "private key": "私钥", "password in an address": "地址里的密码", "webhook address": "webhook 地址",
    "override": "要它推翻原有指令", "new role": "要它换一个身份", "prompt leak": "套取提示词",
    "secrecy": "要它瞒着用户", "template": "地址里有待填的变量", "data": "地址里附带数据",
    "sentence": "要求把数据发出去", "script": "会执行的地址",
}  # fmt: skip

Detect = Callable[[DecodedView], Iterable[tuple[str, int, int]]]

_OPENING, _CLOSING = "“「『《«„‘", "”」』》»“’"
_MENTION = pattern(
    r"inject|jailbreak|attack|malicious|adversarial|untrusted|attacker|hijack|phishing|red.?team|exploit|"
    r"注入|攻击|攻擊|越狱|恶意|劫持|インジェクション|攻撃|脱獄|인젝션|공격|탈옥|angriff|inyecci|ataque|attaque",
    re.IGNORECASE,
)


def places(subject: Subject, detect: Detect, *, hidden: bool = False) -> list[DetectedSpan]:
    """Give where a detector matches in the readable views, or in the encoded ones; one match for each place."""
    found = [
        DetectedSpan(kind, view.locate(start, end))
        for view in subject.views
        if view.hidden is hidden
        for kind, start, end in detect(view)
        if view.shows(start, end)
    ]
    return list(_apart(sorted(found, key=lambda place: (place.span.start, -place.span.end))))


def _apart(found: Iterable[DetectedSpan]) -> Iterator[DetectedSpan]:
    end = -1
    for place in found:
        if place.span.start >= end:
            yield place
            end = place.span.end


def quoted(subject: Subject, span: Span) -> bool:
    """Return True if a place is only cited: in code, in quotation marks, or where attacks are discussed."""
    return cited(subject, span) or discussed(subject, span)


def cited(subject: Subject, span: Span) -> bool:
    """Return True if a place stands in a code block, in inline code or in quotation marks on its line."""
    document = subject.document
    before, after = _around(subject, span)
    if any(before.count(mark) % 2 and mark in after for mark in '`"'):
        return True
    if any(before.count(o) > before.count(c) and c in after for o, c in zip(_OPENING, _CLOSING, strict=True)):
        return True
    return before.endswith("'") or any(fence.span.holds(Span(span.start, span.start)) for fence in document.fences)


def discussed(subject: Subject, span: Span) -> bool:
    """Return True if the line of a place speaks of attacks."""
    before, after = _around(subject, span)
    return _MENTION.search(before + span.of(subject.document.text) + after) is not None


def _around(subject: Subject, span: Span) -> tuple[str, str]:
    """Return what stands before and behind a place on its line, 500 characters at most."""
    document = subject.document
    line = document.lines.span(document.lines.at(span.start))
    begin, stop = max(line.start, span.start - 500), min(max(line.end, span.end), span.end + 500)
    return document.text[begin : span.start], document.text[span.end : stop]
