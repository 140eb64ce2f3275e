"""MM208: a line such as `##Heading`, which Markdown takes for text."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

# One sign begins a tag; digits and signs behind several are no words of a title.
_TITLE = r"[^\s#!-@\[-`{-~]"
_TIGHT = pattern(rf"(?<![^\r\n])[ ]{{0,3}}(?P<signs>#{{2,6}})(?P<title>{_TITLE}[^\r\n]*)")
_SIGNS = pattern(f"##{_TITLE}")


def check(subject: Subject) -> Iterator[Finding]:
    """Find signs of a heading without a blank behind them, in the paragraphs of memory files."""
    document = subject.document
    if subject.memory is None or not _SIGNS.search(document.text):
        return
    for block in document.blocks:
        if block.kind == "paragraph" and not block.quoted:
            for match in _TIGHT.finditer(document.text, *block.span):
                fix = (Edit.insert(match.end("signs"), " "),)
                yield Finding(Span(match.start("signs"), match.end()), {"title": quote(match["title"])}, fix)


RULE = Rule(
    "MM208",
    "heading-without-space",
    "warning",
    check,
)
