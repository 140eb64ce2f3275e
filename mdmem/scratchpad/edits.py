"""Read a scratchpad by section, and find the generated progress that leaves it. Pure."""

from __future__ import annotations

from mdmem.entries.edits.generated import (
    BlockSpec,
    GeneratedLine,
    GeneratedLines,
    blocks,
    body,
    line_key,
    section_names,
    section_parts,
)
from mdmem.formats.template import Template
from mdmem.scratchpad.model import BLOCK, KEPT, PROGRESS, PROJECTS, QUESTIONS, SECTIONS, Scratchpad
from mdmem.text.document import Document, Entry

SPEC = BlockSpec(BLOCK, SECTIONS, newest=(PROJECTS, PROGRESS, QUESTIONS))


def read_scratchpad(document: Document, template: Template, path: str, updated: str) -> Scratchpad:
    """Return the entries of a scratchpad by section."""
    found: dict[str, tuple[str, ...]] = {}
    for alias, name in section_names(template, SECTIONS).items():
        entries = (entry for section in section_parts(document, template, name) for entry in section.entries)
        found[alias] = tuple(body(entry.text) for entry in entries if not entry.depth and entry.text.strip())
    projects, progress, questions, steps = (found[alias] for alias in SECTIONS)
    return Scratchpad(path, projects, projects[-1] if projects else "", progress, questions, steps, updated)


def block_entries(document: Document, template: Template) -> dict[str, tuple[Entry, ...]]:
    """Return the outermost entries of the generated blocks by section."""
    found: dict[str, tuple[Entry, ...]] = {}
    for alias, name in section_names(template, SECTIONS).items():
        sections = section_parts(document, template, name)
        inside = blocks(document, BLOCK, sections)
        entries = (entry for section in sections for entry in section.entries if not entry.depth)
        found[alias] = tuple(one for one in entries if any(block.body.holds(one.marker) for block in inside))
    return found


def kept_lines(document: Document, template: Template) -> GeneratedLines:
    """Return the generated questions and steps of a file, each with its session as the source."""
    found = block_entries(document, template)
    return {alias: tuple(GeneratedLine(body(one.text), _source(one)) for one in found[alias]) for alias in KEPT}


def left_entries(document: Document, template: Template, lines: GeneratedLines) -> list[Entry]:
    """Return the entries of generated progress that leave the file: they go to the archive."""
    stays = {line_key(one.text) for one in lines.get(PROGRESS, ())}
    sources = {one.source for one in lines.get(PROGRESS, ()) if one.source}
    found = block_entries(document, template)[PROGRESS]
    return [one for one in found if line_key(one.text) not in stays and _source(one) not in sources]


def _source(entry: Entry) -> str:
    field = entry.parts.field("source")
    return field.value if field else ""
