"""MM103: line endings of more than one kind, or of a kind that most programs do not know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from mdmem.linter.rule import Finding, LocalizedFact, Rule, RuleText, Subject
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_ENDING = pattern(r"\r\n|\r|\n")
_ALONE = LocalizedFact("CR alone: most programs see one long line", "只有 CR：多数程序会当成一整行")
_NAMES = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the endings with the one that most lines use."""
    text = subject.document.text
    if "\r" not in text or not subject.is_text:
        return
    counts = Counter(_ENDING.findall(text))
    if counts.keys() == {"\r"}:
        fix = tuple(Edit(Span(*match.span()), "\n") for match in _ENDING.finditer(text))
        yield Finding(fix[0].span, {"what": _ALONE, "most": "LF"}, fix)
    if len(counts) == 1:
        return
    most = subject.document.lines.ending
    others = [Span(*match.span()) for match in _ENDING.finditer(text) if match.group() != most]
    fix = tuple(Edit(span, most) for span in others)
    shown = ", ".join(f"{counts[ending]} {name}" for ending, name in _NAMES.items() if counts[ending])
    yield Finding(
        Span(others[0].start, others[0].start),
        {"what": LocalizedFact(f"mixed: {shown}", f"不统一：{shown}"), "most": _NAMES[most]},
        fix,
    )


RULE = Rule(
    "MM103",
    "mixed-line-endings",
    "warning",
    check,
    en=RuleText("line endings are {what.en}", "end every line with {most}"),
    zh=RuleText("换行符{what.zh}", "请统一为 {most}"),
    scope="raw",
)
