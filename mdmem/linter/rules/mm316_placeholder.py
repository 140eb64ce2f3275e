"""MM316: text that only keeps a place."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.placeholders import is_bracketed, is_placeholder
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.spans import Span


def check(subject: Subject) -> Iterator[Finding]:
    """Find entries and paragraphs that are placeholders; those of the template itself are a fresh file."""
    if subject.memory is None:
        return
    for span in _places(subject):
        said = span.of(subject.document.text).strip()
        if said not in subject.memory.document.text:
            yield Finding(span, {"text": quote(said)})


def _places(subject: Subject) -> Iterator[Span]:
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
        said = block.span.of(document.text)
        # in a section without entries a bracketed sentence explains what belongs there
        alone = heading in names and heading not in filled and is_bracketed(said)
        if alone or is_placeholder(said):
            yield block.span


RULE = Rule(
    "MM316",
    "placeholder",
    "note",
    check,
)
