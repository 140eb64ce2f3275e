"""MM112: marks of generated text that do not pair up."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject
from mdmem.text.spans import Span

_NAMELESS = (
    LocalizedFact("has no name", "没有名字"),
    LocalizedFact("write `<!-- mdmem:auto NAME -->`", "请写成 `<!-- mdmem:auto 名字 -->`"),
)
_NESTED = (
    LocalizedFact("stands inside another one", "嵌在另一个标记里"),
    LocalizedFact("close the one above first", "请先结束上面的标记"),
)
_UNOPENED = (
    LocalizedFact("closes nothing", "没有对应的开头"),
    LocalizedFact("delete it, or put the opening mark back", "请删除，或补上开头标记"),
)
_UNCLOSED = (
    LocalizedFact("is never closed", "没有结束"),
    LocalizedFact("put `<!-- /mdmem:auto -->` below", "请在下面补上 `<!-- /mdmem:auto -->`"),
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


def _finding(span: Span, words: tuple[LocalizedFact, LocalizedFact]) -> Finding:
    return Finding(span, {"what": words[0], "next": words[1]})


RULE = Rule(
    "MM112",
    "unbalanced-auto-mark",
    "error",
    check,
    en=RuleText("this `mdmem:auto` mark {what.en}", "{next.en}"),
    zh=RuleText("这个 `mdmem:auto` 标记{what.zh}", "{next.zh}"),
)
