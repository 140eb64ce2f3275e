"""MM106: controls that reorder text on the screen, except where right-to-left text needs them."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject
from mdmem.linter.views.hidden_characters import by_line, controls, cover, names, unneeded_bidi
from mdmem.text.edit import Edit


def check(subject: Subject) -> Iterator[Finding]:
    """Find such controls, grouped by line."""
    text, lines = subject.document.text, subject.document.lines
    if not any(controls(subject.uncommon)):
        return
    for line, spans in by_line(lines, controls(text)):
        if unneeded := unneeded_bidi(text, lines.span(line), spans):
            facts = {"count": len(unneeded), "chars": names("".join(span.of(text) for span in unneeded))}
            yield Finding(cover(unneeded), facts, tuple(Edit.delete(span) for span in unneeded))


RULE = Rule(
    "MM106",
    "bidi-control",
    "error",
    check,
    scope="raw",
)
