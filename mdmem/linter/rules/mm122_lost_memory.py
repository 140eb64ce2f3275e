"""MM122: a file that was deleted or clobbered outside mdmem, and what the history still has of it."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject, quote
from mdmem.text.spans import Span

_WHAT = {
    "gone": LocalizedFact("this file was deleted outside mdmem", "这个文件在 mdmem 之外被删掉了"),
    "empty": LocalizedFact("this file was emptied outside mdmem", "这个文件在 mdmem 之外被清空了"),
    "binary": LocalizedFact("this file is no longer text", "这个文件不再是文本了"),
    "short": LocalizedFact(
        "this file lost most of what the history knows of it", "和历史里的版本相比，这个文件丢了大部分内容"
    ),
    "headless": LocalizedFact("this file lost its front matter", "这个文件丢了开头的元数据（front matter）"),
    "foreign": LocalizedFact(
        "none of the headings that the history knows is left in this file", "历史里有的标题，这个文件里一个也不剩"
    ),
}


def check(subject: Subject) -> Iterator[Finding]:
    """Report a file that lost what the history knows of it."""
    if found := _WHAT.get(subject.facts.lost):
        yield Finding(Span(0, 0), {"what": found, "path": quote(subject.path, 80)})


RULE = Rule(
    "MM122",
    "lost-memory",
    "warning",
    check,
    en=RuleText(
        "{what.en}", "`mdmem restore {path}` brings it back; if it is meant so, `mdmem restore {path} --dismiss`"
    ),
    zh=RuleText("{what.zh}", "`mdmem restore {path}` 可以找回；如果是有意的，用 `mdmem restore {path} --dismiss`"),
    scope="file",
)
