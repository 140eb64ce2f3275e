"""MM113: the marks that git leaves where two versions collide."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.pattern import pattern
from mdmem.core.text import Span
from mdmem.linter.characters import in_code_block
from mdmem.linter.rule import Finding, Rule, Subject, Words

_MARK = pattern(r"(?<![^\r\n])(?:<{7} [^\r\n]*|={7}(?=[\r\n]|\Z)|>{7} [^\r\n]*)")


def check(subject: Subject) -> Iterator[Finding]:
    """Find conflicts, whole or in part; a `=======` alone underlines a heading, and code may show what it likes."""
    text = subject.document.text
    if "<<<<<<< " not in text and ">>>>>>> " not in text:
        return
    start: Span | None = None
    divided = False
    for match in _MARK.finditer(text):
        span, mark = Span(*match.span()), match.group()[0]
        if in_code_block(subject.document, span.start):
            continue
        if mark == "<":
            if start:
                yield Finding(start)
            start = span
        elif mark == "=":
            divided = True
            continue
        elif start or divided:
            yield Finding(Span(start.start, span.end) if start else span)
            start = None
        divided = False
    if start:
        yield Finding(start)


RULE = Rule(
    "MM113",
    "conflict-marker",
    "error",
    check,
    en=Words("a merge conflict was never resolved here", "keep what is right of both sides and delete the marks"),
    zh=Words("这里有没解决的合并冲突", "保留两边正确的内容，再删掉冲突标记"),
)
