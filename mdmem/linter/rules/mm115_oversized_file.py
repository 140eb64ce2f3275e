"""MM115: a file that is too large to be a memory."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the size with the limit; the file was not even read."""
    size, most = subject.facts.size, subject.settings.max_bytes
    raw = subject.template is not None and subject.memory is None  # a tool's output is as long as it is
    if subject.facts.type == "regular" and size > most and not raw:
        yield Finding(Span(0, 0), {"size": size, "max": most})


RULE = Rule(
    "MM115",
    "oversized-file",
    "error",
    check,
    en=RuleText(
        "{size} bytes, the limit is {max}: not checked further", "split it, move it to archive/, or raise `max_bytes`"
    ),
    zh=RuleText("{size} 字节，上限是 {max}：不再检查", "请拆分、移到 archive/，或调高 `max_bytes`"),
    scope="file",
)
