"""MM308: a memory without a date, whose age nobody can tell."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.placeholders import is_form, is_placeholder
from mdmem.linter.detect.relative_dates import undated
from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Find undated memories, once for the file: where nobody ever wrote a date, one word says it all."""
    texts = ((item, item.entry.text) for item in undated(subject))
    found = [item for item, text in texts if text.strip() and not is_form(text) and not is_placeholder(text)]
    if found:
        yield Finding(found[0].entry.text_span, {"count": len(found)})


RULE = Rule(
    "MM308",
    "missing-date",
    "note",
    check,
    en=RuleText("this entry carries no date ({count} in this file)", "begin it with the day, as in `- 2026-02-13: …`"),
    zh=RuleText("这条记忆没有日期（本文件共 {count} 条）", "在开头写上日期，例如「- 2026-02-13：……」"),
)
