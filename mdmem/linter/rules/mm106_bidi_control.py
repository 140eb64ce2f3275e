"""MM106: controls that reorder text on the screen, except where right-to-left text needs them."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.edit import Edit
from mdmem.core.pattern import pattern
from mdmem.core.text import Span
from mdmem.linter.characters import by_line, cover, names
from mdmem.linter.rule import Finding, Rule, Subject, Words

_CONTROL = pattern("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = pattern(
    "[\u0590-\u05ff\u0620-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_MARKS = "\u061c\u200e\u200f"
_OPENING, _CLOSING = "\u2066\u2067\u2068", "\u2069"


def check(subject: Subject) -> Iterator[Finding]:
    """Find them, gathered by line."""
    text, lines = subject.document.text, subject.document.lines
    if subject.is_plain:
        return
    for line, spans in by_line(lines, controls(text)):
        if found := unneeded(text, lines.span(line), spans):
            facts = {"count": len(found), "chars": names("".join(span.of(text) for span in found))}
            yield Finding(cover(found), facts, tuple(Edit.delete(span) for span in found))


def controls(text: str) -> Iterator[Span]:
    """Give the controls of a text, needed or not."""
    return (Span(*match.span()) for match in _CONTROL.finditer(text))


def unneeded(text: str, line: Span, spans: list[Span]) -> list[Span]:
    """Beside right-to-left letters, marks and closed isolates are how Unicode asks people to write."""
    if not _RIGHT_TO_LEFT.search(text, line.start, line.end):
        return spans
    needed = _MARKS + (_OPENING + _CLOSING if _balanced(text, spans) else "")
    return [span for span in spans if span.of(text) not in needed]


def _balanced(text: str, spans: list[Span]) -> bool:
    depth = 0
    for span in spans:
        depth += (span.of(text) in _OPENING) - (span.of(text) == _CLOSING)
        if depth < 0:
            return False
    return depth == 0


RULE = Rule(
    "MM106",
    "bidi-control",
    "error",
    check,
    en=Words(
        "{count:character reorders|characters reorder} what is shown: {chars}",
        "delete them: text must read as it stands",
    ),
    zh=Words("{count} 个字符会改变显示顺序：{chars}", "请删除：文本应当所见即所得"),
    scope="raw",
)
