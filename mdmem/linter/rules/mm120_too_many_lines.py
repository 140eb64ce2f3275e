"""MM120: more lines than a memory has."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject


def check(subject: Subject) -> Iterator[Finding]:
    """Count the lines, and point at the first one over the limit."""
    lines, most = subject.document.lines, subject.settings.max_lines
    if len(lines) > most:
        yield Finding(lines.span(most), {"count": len(lines), "max": most})


RULE = Rule(
    "MM120",
    "too-many-lines",
    "warning",
    check,
    en=RuleText(
        "{count:line|lines}, the limit is {max}: the file is checked for safety only",
        "split it, move it to archive/, or raise `max_lines`",
    ),
    zh=RuleText("共 {count} 行，上限是 {max} 行：这个文件只做安全检查", "请拆分、移到 archive/，或调高 `max_lines`"),
    scope="raw",
)
