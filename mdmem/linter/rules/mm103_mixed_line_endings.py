"""MM103: line endings of several kinds, or of a kind that most programs do not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_ENDING = pattern(r"\r\n|\r|\n")
_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the line endings with the most common one."""
    text = subject.document.text
    if "\r" not in text or not subject.is_text:
        return
    counts = Counter(_ENDING.findall(text))
    if counts.keys() == {"\r"}:
        fix = tuple(Edit(Span(*match.span()), "\n") for match in _ENDING.finditer(text))
        yield Finding(fix[0].span, {"most": "LF"}, fix, variant="alone")
    if len(counts) == 1:
        return
    most = subject.document.lines.ending
    others = [Span(*match.span()) for match in _ENDING.finditer(text) if match.group() != most]
    fix = tuple(Edit(span, most) for span in others)
    shown = ", ".join(f"{counts[ending]} {name}" for ending, name in _NAMES.items() if counts[ending])
    yield Finding(
        Span(others[0].start, others[0].start),
        {"shown": shown, "most": _NAMES[most]},
        fix,
        variant="mixed",
    )


RULE = Rule(
    "MM103",
    "mixed-line-endings",
    "warning",
    check,
    scope="raw",
    of_file=True,
)
