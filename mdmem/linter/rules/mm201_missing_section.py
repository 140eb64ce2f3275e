"""MM201: a section that the template requires is missing."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import SectionSpec
from mdmem.linter.rule import Finding, Heading, Rule, Subject
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit

_OTHER_RULE = ("session",)  # MM604 checks sessions


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the sections with the required ones; an empty file is accepted."""
    document, template = subject.document, subject.memory
    if template is None or template.kind in _OTHER_RULE or not document.text[document.start :].strip():
        return
    present = {heading.spec.name: heading for heading in reversed(subject.outline) if heading.spec}
    missing = [spec for spec in template.sections if spec.required and spec.name not in present]
    fixable = bool(missing) and not subject.old_lines and not _bracketed(document)
    ends_open = fixable and _ends_open(document)
    for spec in missing:
        before = [
            present[one.name] for one in template.sections[: template.sections.index(spec)] if one.name in present
        ]
        end = _stop(subject, before[-1] if before else None)
        fix = (_insertion(document, end, spec),) if fixable and (end < len(document.text) or not ends_open) else ()
        span = before[-1].section.heading if before else document.lines.span(document.lines.at(document.start))
        yield Finding(span, {"section": spec.name}, fix)


def _bracketed(document: Document) -> bool:
    """Return whether a first real heading would end the bracket sections of the file."""
    return any(section.style == "bracket" for section in document.sections)


def _stop(subject: Subject, before: Heading | None) -> int:
    """Return where the new section must end: after the section before it, or above the first one."""
    start = before.section.heading.start if before else -1
    level = before.section.level if before else 0
    later = (heading for heading in subject.outline if heading.section.heading.start > start)
    stop = next((heading for heading in later if heading.spec or heading.section.level <= level), None)
    return stop.section.heading.start if stop else len(subject.document.text)


def _insertion(document: Document, stop: int, spec: SectionSpec) -> Edit:
    """Return the edit that writes heading and comment after the last text above, with blank lines around them."""
    ending = document.lines.ending
    comment = f"\n\n<!-- {spec.doc} -->" if spec.doc else ""
    text = f"{'#' * spec.level} {spec.name}{comment}".replace("\n", ending)
    above = document.text[document.start : stop].rstrip(" \t\r\n")
    if not above:
        return Edit.insert(stop, text + ending * 2)
    offset = document.lines.span(document.lines.at(document.start + len(above))).end
    spaced = stop == len(document.text) or document.lines.is_blank(document.lines.at(offset) + 1)
    return Edit.insert(offset, ending * 2 + text + ("" if spaced else ending))


def _ends_open(document: Document) -> bool:
    """Return whether the last block is open, so that a heading after it would become part of it."""
    block = next((block for block in reversed(document.blocks) if not block.depth and not block.quoted), None)
    if block is None or block.kind not in ("fence", "html"):
        return False
    return not parse(f"{block.span.of(document.text)}\n\n# x\n".encode("utf-8", "surrogateescape")).sections


RULE = Rule(
    "MM201",
    "missing-section",
    "warning",
    check,
)
