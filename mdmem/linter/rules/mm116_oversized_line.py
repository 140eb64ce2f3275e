"""MM116: a line that is too long for a memory."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find lines over the limit; each finding begins where the line exceeds it."""
    text, most = subject.document.text, subject.settings.max_line_chars
    if subject.document.lines.longest <= most:
        return
    # because of the lookbehind, each line is tried once, from its beginning
    for match in re.finditer(rf"(?<![^\r\n])[^\r\n]{{{most + 1},}}", text):
        facts = {"length": match.end() - match.start(), "max": most}
        yield Finding(Span(match.start() + most, match.end()), facts)


RULE = Rule(
    "MM116",
    "oversized-line",
    "warning",
    check,
    scope="raw",
)
