"""The sections of a memory file against those that its template names: what the rules of structure look at."""

from __future__ import annotations

from mdmem.core.document import Document, Section
from mdmem.core.record import NamedTuple
from mdmem.core.template import SectionSpec, Template


class Heading(NamedTuple):
    """A section of the file, the template's section that it is, and the one that it stands below."""

    section: Section
    spec: SectionSpec | None  # None where the template does not know the title
    above: SectionSpec | None  # the nearest known section that encloses it


def outline(document: Document, template: Template) -> tuple[Heading, ...]:
    """Name every section of a file."""
    found: list[Heading] = []
    for section in document.sections:
        enclosing = found[section.parent] if section.parent is not None else None
        above = (enclosing.spec or enclosing.above) if enclosing else None
        found.append(Heading(section, template.spec(template.named(section) or ""), above))
    return tuple(found)
