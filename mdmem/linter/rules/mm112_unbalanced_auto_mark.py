"""MM112: marks of generated text that do not pair up."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.core.text import Span
from mdmem.linter.rule import Both, Finding, Rule, Subject, Words

_NAMELESS = (
    Both("has no name", "没有名字"),
    Both("write `<!-- mdmem:auto NAME -->`", "请写成 `<!-- mdmem:auto 名字 -->`"),
)
_NESTED = (
    Both("stands inside another one", "嵌在另一个标记里"),
    Both("close the one above first", "请先结束上面的标记"),
)
_UNOPENED = (
    Both("closes nothing", "没有对应的开头"),
    Both("delete it, or put the opening mark back", "请删除，或补上开头标记"),
)
_UNCLOSED = (
    Both("is never closed", "没有结束"),
    Both("put `<!-- /mdmem:auto -->` below", "请在下面补上 `<!-- /mdmem:auto -->`"),
)


def check(subject: Subject) -> Iterator[Finding]:
    """Walk the marks with those that are still open."""
    opened: list[Span] = []
    for closing, name, span in subject.document.auto_marks:
        if closing and not opened:
            yield _finding(span, _UNOPENED)
        elif closing:
            opened.pop()
        else:
            if opened:
                yield _finding(span, _NESTED)
            elif not name:
                yield _finding(span, _NAMELESS)
            opened.append(span)
    for span in opened[:1]:
        yield _finding(span, _UNCLOSED)


def _finding(span: Span, words: tuple[Both, Both]) -> Finding:
    return Finding(span, {"what": words[0], "next": words[1]})


RULE = Rule(
    "MM112",
    "unbalanced-auto-mark",
    "error",
    check,
    en=Words("this `mdmem:auto` mark {what.en}", "{next.en}"),
    zh=Words("这个 `mdmem:auto` 标记{what.zh}", "{next.zh}"),
)
