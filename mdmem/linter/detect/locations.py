"""Maps the matches of detectors to spans of the file, and recognises text that is only quoted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from mdmem.linter.rule import Subject
from mdmem.linter.views.decoded_views import DecodedView
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span


class Match(NamedTuple):
    """A match of a detector in a view: its kind and its span in the view's text."""

    kind: str
    start: int
    end: int


class DetectedSpan(NamedTuple):
    """A match with its span in the file."""

    kind: str
    span: Span


Detect = Callable[[DecodedView], Iterable[tuple[str, int, int]]]

_OPENING, _CLOSING = "“「『《«„‘", "”」』》»“’"
_MENTION = pattern(
    r"inject|jailbreak|previous-instructions|attack|malicious|adversarial|untrusted|attacker|hijack|phishing|red.?team|exploit|"
    r"注入|攻击|攻擊|越狱|恶意|劫持|インジェクション|攻撃|脱獄|인젝션|공격|탈옥|angriff|inyecci|ataque|attaque",
    re.IGNORECASE,
)

_SECURITY = pattern(
    r"\bsecurity\b|\bprompt.?safety\b|\b(?:vulnerab|threat|owasp)|安全|漏洞|セキュリティ|보안|sicherheit|seguridad|sécurité",
    re.IGNORECASE,
)
_HEADING = pattern(r"(?m)^#{1,6}[ \t][^\n]{1,200}")
# what tells that a value belongs to a published test, or is only shown
_KNOWN_ANSWER = pattern(
    r"\btest[ _-]?(?:vector|case)s?(?![a-z])|\bknown[ _-]answer|\brfc\s?\d{3,5}\b[^\n]{0,40}\b(?:appendix|vector)"
    r"|测试(?:向量|用例)|已知答案|テストベクトル",
    re.IGNORECASE,
)
_EXAMPLE = pattern(
    r"\b(?:example|sample)s?[ -](?:(?:api|secret|private|access)[ -])?"
    r"(?:key|token|secret|value|credential|config|output|response)"
    r"|(?:密[钥鑰]|令牌|密码|配置|输出)(?:的)?(?:示例|样例|例子)|示例(?:密[钥鑰]|令牌|密码|配置)|サンプル",
    re.IGNORECASE,
)


def detected_spans(subject: Subject, detect: Detect, *, hidden: bool = False) -> list[DetectedSpan]:
    """Return the matches of a detector in the readable views, or in the encoded ones, one for each span."""
    matches = [
        DetectedSpan(kind, view.locate(start, end))
        for view in subject.views
        if view.hidden is hidden
        for kind, start, end in detect(view)
        if view.shows(start, end)
    ]
    return list(_without_overlaps(sorted(matches, key=lambda one: (one.span.start, -one.span.end))))


def _without_overlaps(matches: Iterable[DetectedSpan]) -> Iterator[DetectedSpan]:
    end = -1
    for match in matches:
        if match.span.start >= end:
            yield match
            end = match.span.end


def quoted(subject: Subject, span: Span) -> bool:
    """Return True if a span is only cited: in code, in quotation marks, or where attacks are discussed."""
    return cited(subject, span) or discussed(subject, span)


def cited(subject: Subject, span: Span) -> bool:
    """Return True if a span is in a code block, in inline code or in quotation marks on its line."""
    before, after = _around(subject, span)
    if any(before.count(mark) % 2 and mark in after for mark in '`"'):
        return True
    if any(before.count(o) > before.count(c) and c in after for o, c in zip(_OPENING, _CLOSING, strict=True)):
        return True
    return before.endswith("'") or _in_fence(subject, span)


def is_example(subject: Subject, span: Span) -> bool:
    """Return True if a span is in a code block, or on a line that is quoted with `>`."""
    document = subject.document
    line = document.lines.span(document.lines.at(span.start))
    return _in_fence(subject, span) or document.text[line.start : span.start].lstrip(" \t").startswith(">")


def discussed(subject: Subject, span: Span) -> bool:
    """Return True if the line of a span is about attacks."""
    before, after = _around(subject, span)
    return _MENTION.search(before + span.of(subject.document.text) + after) is not None


def about_security(subject: Subject, span: Span) -> bool:
    """Return True if the line of a span, or the heading above it, is about attacks or security."""
    before, after = _around(subject, span)
    return (
        discussed(subject, span)
        or _SECURITY.search(before + after) is not None
        or _SECURITY.search(_heading_above(subject, span)) is not None
    )


def of_known_answer(subject: Subject, span: Span) -> bool:
    """Return True if a span is said to be a test vector or a sample value: on its line, in the heading above it.

    So is what a file holds whose name says that it holds test vectors.
    """
    before, after = _around(subject, span)
    said = (before, after, _heading_above(subject, span))
    return _KNOWN_ANSWER.search(subject.path) is not None or any(
        _KNOWN_ANSWER.search(one) or _EXAMPLE.search(one) for one in said
    )


def _heading_above(subject: Subject, span: Span) -> str:
    """Return the last heading within 4,000 characters above a span; empty if there is none."""
    headings = _HEADING.findall(subject.document.text[max(0, span.start - 4000) : span.start])
    return headings[-1] if headings else ""


def _in_fence(subject: Subject, span: Span) -> bool:
    return any(fence.span.holds(Span(span.start, span.start)) for fence in subject.document.fences)


def _around(subject: Subject, span: Span) -> tuple[str, str]:
    """Return the text before and after a span on its line, at most 500 characters each."""
    document = subject.document
    line = document.lines.span(document.lines.at(span.start))
    begin, stop = max(line.start, span.start - 500), min(max(line.end, span.end), span.end + 500)
    return document.text[begin : span.start], document.text[span.end : stop]
