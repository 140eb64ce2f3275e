"""MM116: a line that no memory has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, RuleText, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find lines over the limit and point at where they pass it."""
    text, most = subject.document.text, subject.settings.max_line_chars
    if max(map(len, text.split("\n"))) <= most:
        return
    # the look back makes every line be tried once, from its beginning
    for match in re.finditer(rf"(?<![^\r\n])[^\r\n]{{{most + 1},}}", text):
        facts = {"length": match.end() - match.start(), "max": most}
        yield Finding(Span(match.start() + most, match.end()), facts)


RULE = Rule(
    "MM116",
    "oversized-line",
    "warning",
    check,
    en=RuleText(
        "a line of {length} characters, the limit is {max}: the file is checked for safety only",
        "break the line, move the data to artifacts/, or raise `max_line_chars`",
    ),
    zh=RuleText(
        "一行有 {length} 个字符，上限是 {max}：这个文件只做安全检查",
        "请断行、把数据移到 artifacts/，或调高 `max_line_chars`",
    ),
    scope="raw",
)
