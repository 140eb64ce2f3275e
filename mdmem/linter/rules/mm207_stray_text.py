"""MM207: text outside all sections, if the sections are fixed."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.blocks import Block
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_CAPTION = pattern(r"[ ]{0,3}([*_])[^\r\n]*\1[ \t]*\Z")  # the whole line in emphasis
_ACCEPTED = frozenset(("heading", "html", "rule"))


def check(subject: Subject) -> Iterator[Finding]:
    """Find text above the first section or below a title, once for each; captions are accepted."""
    if subject.memory is None or subject.memory.policy != "closed":
        return
    names = ", ".join(spec.name for spec in subject.memory.sections)
    old = {line.line for line in subject.old_lines}
    blocks = iter(subject.document.blocks)
    block = next(blocks, None)
    for outside in _outside(subject):
        while block and block.span.start < outside.start:
            block = next(blocks, None)
        is_reported = False
        while block and block.span.start < outside.end:
            if not is_reported and _stray(subject, block, old):
                is_reported = True
                yield Finding(block.span, {"text": quote(block.span.of(subject.document.text)[:200]), "names": names})
            block = next(blocks, None)


def _outside(subject: Subject) -> Iterator[Span]:
    """Yield the spans that belong to no section: above the first heading, and below those of level one."""
    yield subject.document.preamble
    for heading in subject.outline:
        if heading.section.level == 1 and heading.spec is None:
            yield heading.section.body


def _stray(subject: Subject, block: Block, old: set[int]) -> bool:
    if block.quoted or block.kind in _ACCEPTED or block.line in old:
        return False
    return block.kind != "paragraph" or not _CAPTION.match(block.span.of(subject.document.text))


RULE = Rule(
    "MM207",
    "stray-text",
    "warning",
    check,
)
