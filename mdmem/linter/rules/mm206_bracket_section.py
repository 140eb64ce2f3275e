"""MM206: a line of the old fastmemo format: `[section]` as a heading, or the header with its version."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import Template
from mdmem.linter.fastmemo_text import OldLine
from mdmem.linter.rule import Finding, Rule, Subject, quote
from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern

_BREAK = pattern(r"\r\n|\r|\n")
_NUMBERED = pattern(r"\d{1,9}[.)](?:[ \t]|$)")


def check(subject: Subject) -> Iterator[Finding]:
    """Find the old lines; each finding fixes all of them, because half a conversion would lose the other sections."""
    if subject.memory is None or not subject.old_lines:
        return
    edits = tuple(_conversion(subject.document, subject.memory, subject.old_lines))
    for old in subject.old_lines:
        span = subject.document.lines.span(old.line)
        yield Finding(span, {"text": quote(span.of(subject.document.text))}, edits)


def _conversion(document: Document, template: Template, old_lines: tuple[OldLine, ...]) -> Iterator[Edit]:
    """Yield edits that make headings of the old lines; the text after a name, and the header, become quotes."""
    ending = document.lines.ending
    lines = {old.line for old in old_lines}
    for old in old_lines:
        parts = [f"## {old.name}"] if old.name else _title(document, template)
        parts += [f"> {old.note}"] if old.note else []
        above, below = _needs_blank_lines(document, old.line, lines)
        text = (ending if above else "") + (ending * 2).join(parts) + (ending if below else "")
        yield Edit(document.lines.span(old.line), text)
    yield from _split(document, lines, ending)


def _title(document: Document, template: Template) -> list[str]:
    if any(section.level == 1 for section in document.sections):
        return []
    return [f"# {section.title}" for section in template.document.sections[:1] if section.level == 1]


def _needs_blank_lines(document: Document, line: int, converted: set[int]) -> tuple[bool, bool]:
    """Return whether a blank line is missing above and below; a converted line above adds its own."""
    lines = document.lines
    above = lines.span(line).start > document.start and not lines.is_blank(line - 1) and line - 1 not in converted
    return above, line + 1 < len(lines) and not lines.is_blank(line + 1)


def _split(document: Document, converted: set[int], ending: str) -> Iterator[Edit]:
    """Yield edits that add a marker to each line that is not indented below an entry: it was a memory of its own.

    A numbered line is separated instead: it is an item already, unless the paragraph above includes it.
    """
    for section in document.sections:
        if section.style != "bracket":
            continue
        for entry in section.entries:
            for match in _BREAK.finditer(document.text, *entry.text_span):
                offset = match.end()
                if document.lines.at(offset) in converted or document.text[offset] in " \t":
                    continue
                numbered = _NUMBERED.match(document.text, offset)
                yield Edit.insert(offset, ending if numbered else "- ")


RULE = Rule(
    "MM206",
    "bracket-section",
    "warning",
    check,
)
