"""MM201: a section that the template asks for is not there."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.template import SectionSpec
from mdmem.linter.rule import Finding, Heading, Rule, Subject
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit

_JUDGED_ELSEWHERE = ("session",)  # MM604 knows when a session has ended, and the older dialects


def check(subject: Subject) -> Iterator[Finding]:
    """Compare the sections that are there with those that must be; an empty file is one that nobody has begun."""
    document, template = subject.document, subject.memory
    if template is None or template.kind in _JUDGED_ELSEWHERE or not document.text[document.start :].strip():
        return
    there = {heading.spec.name: heading for heading in reversed(subject.outline) if heading.spec}
    missing = [spec for spec in template.sections if spec.required and spec.name not in there]
    fixable = bool(missing) and not subject.old_lines and not _bracketed(document)
    open_end = fixable and _ends_open(document)
    for spec in missing:
        before = [there[one.name] for one in template.sections[: template.sections.index(spec)] if one.name in there]
        stop = _stop(subject, before[-1] if before else None)
        fix = (_insertion(document, stop, spec),) if fixable and (stop < len(document.text) or not open_end) else ()
        place = before[-1].section.heading if before else document.lines.span(document.lines.at(document.start))
        yield Finding(place, {"section": spec.name}, fix)


def _bracketed(document: Document) -> bool:
    """Tell whether a first real heading would take away what the file's sections are now."""
    return any(section.style == "bracket" for section in document.sections)


def _stop(subject: Subject, before: Heading | None) -> int:
    """Find where the new section must end: behind the section before it, above the first one where there is none."""
    start = before.section.heading.start if before else -1
    level = before.section.level if before else 0
    later = (heading for heading in subject.outline if heading.section.heading.start > start)
    stop = next((heading for heading in later if heading.spec or heading.section.level <= level), None)
    return stop.section.heading.start if stop else len(subject.document.text)


def _insertion(document: Document, stop: int, spec: SectionSpec) -> Edit:
    """Write heading and comment behind the last line above that holds something, blank lines around them."""
    ending = document.lines.ending
    comment = f"\n\n<!-- {spec.doc} -->" if spec.doc else ""
    text = f"{'#' * spec.level} {spec.name}{comment}".replace("\n", ending)
    above = document.text[document.start : stop].rstrip(" \t\r\n")
    if not above:
        return Edit.insert(stop, text + ending * 2)
    at = document.lines.span(document.lines.at(document.start + len(above))).end
    spaced = stop == len(document.text) or document.lines.is_blank(document.lines.at(at) + 1)
    return Edit.insert(at, ending * 2 + text + ("" if spaced else ending))


def _ends_open(document: Document) -> bool:
    """Tell whether the last block, an open fence or comment, would swallow a heading behind it."""
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
