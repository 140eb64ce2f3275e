"""MM316: text that is only a placeholder."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.placeholders import is_bracketed, is_placeholder
from mdmem.linter.masking import MARK
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries and paragraphs that are placeholders, except those of the template.

    What was said in a session stands there as it was said, and `[password]` there is what a secret was masked with.
    """
    if subject.memory is None:
        return
    for span in _spans(subject):
        text = span.of(subject.document.text).strip()
        if subject.turns_start is not None and (span.start >= subject.turns_start or MARK.fullmatch(text)):
            continue
        if text not in subject.memory.document.text:
            yield Finding(span, {"text": quote(text)})


def _spans(subject: Subject) -> Iterator[Span]:
    document = subject.document
    yield from (item.entry.text_span for item in subject.items if is_placeholder(item.entry.text))
    filled = {section.heading.start for section in document.sections if section.entries}
    names = {section.heading.start: section.title for section in document.sections}
    heading = -1
    for block in document.blocks:
        if block.kind == "heading":
            heading = block.span.start
        if block.kind != "paragraph" or block.depth or block.quoted or block.span.start in names:
            continue
        text = block.span.of(document.text)
        # in a section without entries, a sentence in brackets describes the section
        is_description = heading in names and heading not in filled and is_bracketed(text)
        if is_description or is_placeholder(text):
            yield block.span


RULE = Rule(
    "MM316",
    "placeholder",
    "note",
    check,
)
