"""MM307: raw output of a tool, or a long code block, instead of a summary and a pointer."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.edit import Severity
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BULLET = r"^[ \t]*(?:[-*+] )?"
_LEVELS = ("DEBUG", "INFO", "WARN", "ERROR", "FATAL", "CRITICAL", "TRACE")
_LOG = rf"\[?\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[^\r\n]{{0,40}}?\b(?:{'|'.join(_LEVELS)})"
_FRAME = r"at [^\s(]{1,200} ?\([^()\r\n]{0,300}:\d+\)"
_LINES = pattern(rf"(?:{_BULLET}(?:{_LOG}|{_FRAME})[^\r\n]*+(?:\r?\n|\Z)){{3,}}", re.MULTILINE)
_TRACEBACK = pattern(r"Traceback \(most recent call last\):?\s{1,80}File \"")
_DIFF = pattern(r"(?:^|\s)(?:diff --git a/|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@)")
_FRAMES = pattern(r"\n[ \t]*(?:[-*+] )?at \S")
_BASE64 = pattern(r"(?<![A-Za-z0-9+/])(?=[a-z0-9+/]{0,60}[A-Z])(?=[A-Z0-9+/]{0,60}[a-z])[A-Za-z0-9+/]{160,}={0,2}")


def check(subject: Subject) -> Iterator[Finding]:
    """Find code blocks over the limit, and logs, traces, diffs, JSON and base64 outside of code blocks."""
    # a kind whose entries have no limit is a record (a session, an archive), and may contain raw output
    if subject.memory is None or subject.memory.entries.max_chars is None:
        return
    document, limit = subject.document, subject.settings.max_code_lines
    # a kind whose files have no size is not packed whole (a diary): a code block pushes nothing out of the view
    severity: Severity | None = "note" if subject.memory.file.max_chars is None else None
    for fence in document.fences if len(document.lines) > limit else ():
        number = fence.last_line - fence.line + 1
        if fence.kind == "fence":
            number -= 2 if fence.closed else 1
        if number > limit:
            yield Finding(fence.span, {"lines": number}, severity=severity)
    found = sorted(_raw(subject))
    starts = [fence.span.start for fence in document.fences] if found else []
    last = -1
    for span in found:
        before = bisect_right(starts, span.start) - 1
        if span.start >= last and (before < 0 or document.fences[before].span.end <= span.start):
            last = span.end
            yield Finding(span, {"lines": document.lines.at(span.end - 1) - document.lines.at(span.start) + 1})


def _raw(subject: Subject) -> Iterator[Span]:
    """Yield text that no person writes, by its form."""
    text = subject.document.text
    patterns = []
    if any(run.end - run.start >= 160 for run in subject.view.runs):  # shorter ones are words, paths and hashes
        patterns.append(_BASE64)
    if "Traceback (" in text:
        patterns.append(_TRACEBACK)
    if "diff --git" in text or "@@ -" in text:
        patterns.append(_DIFF)
    if ("at " in text and _FRAMES.search(text)) or any(level in text for level in _LEVELS):
        patterns.append(_LINES)
    for shape in patterns:
        yield from (Span(*match.span()) for match in shape.finditer(text))
    for item in subject.items if text.count('":') > subject.settings.max_json_keys else ():
        entry_text = item.entry.text
        if entry_text.count('":') <= subject.settings.max_json_keys:
            continue
        entry_text = item.parts.body.of(entry_text)  # without a date before it
        if entry_text.startswith(("{", "[{")) and entry_text.rstrip().endswith(("}", "]")):
            yield item.entry.text_span


RULE = Rule(
    "MM307",
    "raw-output",
    "warning",
    check,
)
