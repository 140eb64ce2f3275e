"""MM123: a memory file that is empty."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find a file of a known kind, kept in one file, without any text."""
    template, facts = subject.memory, subject.facts
    if template is None or subject.name not in template.files or facts.lost:
        return
    if (facts.type, facts.link) != ("regular", "none"):
        return
    if not subject.document.text.strip("\ufeff \t\r\n\x00"):
        yield Finding(Span(0, 0), {"path": quote(subject.path, 80)})


RULE = Rule(
    "MM123",
    "empty-file",
    "warning",
    check,
    en=RuleText(
        "this memory file is empty", "`mdmem log {path}` lists what it held; otherwise add an entry or delete it"
    ),
    zh=RuleText("这个记忆文件是空的", "`mdmem log {path}` 列出它以前的内容；没有的话，写上内容或删掉文件"),
    scope="file",
)
