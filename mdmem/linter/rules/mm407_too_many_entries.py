"""MM407: a file of more entries than its kind may have."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.limits import size
from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Count the outermost entries of the file, and point at the first one too many."""
    most = subject.memory.file.max_entries if subject.memory else None
    if most is None:
        return
    count = size(subject.document).entries
    if count > most:
        outer = [entry for entry in subject.document.entries if not entry.depth]
        yield Finding(outer[most].text_span, {"count": count, "max": most})


RULE = Rule(
    "MM407",
    "too-many-entries",
    "error",
    check,
    en=RuleText("{count:entry|entries}, at most {max} fit in this file", "remove or archive some before you add more"),
    zh=RuleText("共 {count} 条，这个文件最多 {max} 条", "先移除或归档一些，再添加"),
)
