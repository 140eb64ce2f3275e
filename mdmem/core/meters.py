"""How full a memory file is, against what its template allows; lint, status and the keeper read the same meters."""

from __future__ import annotations

from mdmem.core.document import Document, Section
from mdmem.core.record import NamedTuple
from mdmem.core.template import SectionSpec, Template


class Fill(NamedTuple):
    """A section's entries against its cap."""

    spec: SectionSpec
    sections: tuple[Section, ...]  # where it stands; more than one when it is there twice
    number: int

    @property
    def over(self) -> bool:
        """More entries than the cap allows."""
        return self.spec.entries.max is not None and self.number > self.spec.entries.max

    @property
    def pending(self) -> bool:
        """Enough entries for the keeper to condense."""
        return self.spec.entries.compact_at is not None and self.number >= self.spec.entries.compact_at


class Size(NamedTuple):
    """A file's characters (code points, front matter left out) and outermost entries."""

    chars: int
    entries: int


class Meters(NamedTuple):
    """What the caps of a file are compared with."""

    size: Size
    fills: tuple[Fill, ...]


def measure(document: Document, template: Template) -> Meters:
    """Measure a file against its template."""
    return Meters(size(document), fills(document, template))


def fills(document: Document, template: Template) -> tuple[Fill, ...]:
    """Count the outermost entries of each section that the template names, sub-sections included."""
    named: dict[str, list[Section]] = {}
    counts: dict[str, int] = {}
    owners: list[str | None] = []
    for section in document.sections:
        parent = owners[section.parent] if section.parent is not None else None
        name = template.named(section) or parent
        owners.append(name)
        if name is None:
            continue
        if name != parent:
            named.setdefault(name, []).append(section)
        counts[name] = counts.get(name, 0) + sum(not entry.depth for entry in section.entries)
    return tuple(Fill(spec, tuple(named.get(spec.name, ())), counts.get(spec.name, 0)) for spec in template.sections)


def size(document: Document) -> Size:
    """Measure a file: what a model would be shown of it."""
    return Size(len(document.text) - document.start, sum(not entry.depth for entry in document.entries))


def owner_of(document: Document, template: Template, section: Section | None) -> SectionSpec | None:
    """Give the template's section that a section is, or stands below: the one whose cap counts its entries."""
    while section:
        if spec := template.spec(template.named(section) or ""):
            return spec
        section = document.sections[section.parent] if section.parent is not None else None
    return None
