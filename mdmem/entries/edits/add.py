"""Adds entries at the end of their section: in the given order, without duplicates, up to the section's cap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from mdmem.entries.edits.content import EditNote, EditPlan, contents
from mdmem.entries.edits.find import find_section
from mdmem.entries.edits.placement import append, insertion_region, make_section
from mdmem.errors import TargetError
from mdmem.formats.limits import owner_of, section_fills, size
from mdmem.formats.template import EntryRule, SectionSpec, Template, fold
from mdmem.text.document import Document, Entry, Section, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.entry import EntryParts, entry_key, read_entry
from mdmem.text.inline import one_line
from mdmem.text.similarity import comparison_key, comparison_prefilter
from mdmem.text.spans import Span


def add(
    document: Document | None,
    template: Template | None,
    texts: Sequence[str],
    *,
    section: str | None = None,
    fields: Mapping[str, str] = {},
    again: bool = False,
) -> EditPlan:
    """Add entries to a section; default: the kind's default section, or the file itself if it has no sections.

    A missing or empty file starts as its template. Duplicates are not added (note `duplicate`); entries beyond the cap
    are returned instead (note `full`). With `again`, duplicates are added too.

    Raises:
        TargetError: there is no such section, or none was named and there are several.
        UsageError, RefusedError: a text cannot be written; nothing was.
        VerificationError: the text would not be an entry anywhere in the section.
    """
    if document is not None and document.text.strip("\ufeff \t\r\n"):
        return _into(document, template, texts, section, fields, again=again)
    base = parse(template.text.encode("utf-8", "surrogateescape") if template else b"")
    intent = _into(base, template, texts, section, fields, again=again)
    if not intent.edits:
        return intent
    new = apply_edits(base.text, intent.edits)
    whole = Span(document.start, len(document.text)) if document else Span(0, 0)
    return intent._replace(edits=(Edit(whole, new if new.endswith("\n") else f"{new}\n"),))


def _into(
    document: Document,
    template: Template | None,
    texts: Sequence[str],
    name: str | None,
    fields: Mapping[str, str],
    *,
    again: bool,
) -> EditPlan:
    target = _target(document, template, name)
    where = insertion_region(document, target if isinstance(target, Section) else None)
    owner = target if isinstance(target, SectionSpec) else template and owner_of(document, template, target)
    rule = owner.entries if owner else template.entries if template else EntryRule()
    if again:
        rule = rule._replace(unique=False)
    made = contents(texts, fields, rule)
    earlier = () if isinstance(target, SectionSpec) else where.entries
    new, refused = admit([one.text for one in made], earlier, rule, room(document, template, owner, earlier))
    notes = (*(note for one in made for note in one.notes), *refused)
    if not new:
        return EditPlan((), notes)
    if template and isinstance(target, SectionSpec):
        made_section = EditNote("section-made", {"section": target.name})
        return EditPlan((make_section(document, template, target, new),), (*notes, made_section))
    return EditPlan((append(document, where, new),), notes)


def _target(document: Document, template: Template | None, name: str | None) -> Section | SectionSpec | None:
    free = template is not None and template.policy == "free"
    if name is None:
        if template is None or free or not template.sections:
            return None
        if template.default:
            return find_section(document, template, template.default)
        names = tuple(spec.name for spec in template.sections)
        raise TargetError("the file has several sections", hint=f"name one of: {', '.join(names)}", candidates=names)
    try:
        return find_section(document, template, name)
    except TargetError:
        if template is None or not free or not fold(name):
            raise
        return SectionSpec(one_line(name).lstrip("# "), 2, "", required=False, entries=template.entries)


class SectionRoom(NamedTuple):
    """How many entries a section takes; None if there is no cap."""

    section: str
    left: int | None
    max: int | None


def room(
    document: Document, template: Template | None, owner: SectionSpec | None, here: Sequence[Entry], *, freed: int = 0
) -> SectionRoom:
    """Return how many more entries the section and the file allow, if `freed` entries are removed."""
    if template is None:
        return SectionRoom("", None, None)
    most = owner.entries.max if owner else template.entries.max
    inside = [fill.number for fill in section_fills(document, template) if owner and fill.spec.name == owner.name]
    caps = [(most, inside[0] if inside else len(here)), (template.file.max_entries, size(document).entries)]
    left = [(max(0, cap - number + freed), cap) for cap, number in caps if cap is not None]
    return SectionRoom(owner.name if owner else "", *min(left, default=(None, None)))


def admit(
    texts: Sequence[str], earlier: Sequence[Entry], rule: EntryRule, room: SectionRoom
) -> tuple[list[str], tuple[EditNote, ...]]:
    """Split texts into those to write and notes about duplicates and overflow."""
    prefilters = {comparison_prefilter(_body(read_entry(text), text)) for text in texts}
    present: dict[tuple[str, bool], list[tuple[EntryParts, int, str]]] = {}
    for entry in earlier if rule.unique else ():
        # the prefilter costs a tenth of the exact key
        if comparison_prefilter(_body(entry.parts, entry.text)) in prefilters:
            present.setdefault(_says(entry.parts, entry.text), []).append((entry.parts, entry.line + 1, entry.text))
    new: list[str] = []
    notes: list[EditNote] = []
    for text in texts:
        parts = read_entry(text)
        equal = present.setdefault(_says(parts, text), []) if rule.unique else []
        same = next(((line, first) for one, line, first in equal if not two_days(one, parts)), None)
        if same and _body(parts, text):
            notes.append(EditNote("duplicate", {"text": text, "line": same[0], "key": entry_key(same[1])}))
            continue
        equal.append((parts, 0, text))
        new.append(text)
    left = len(new) if room.left is None else room.left
    if new[left:]:
        notes.append(EditNote("full", {"section": room.section, "max": room.max, "texts": tuple(new[left:])}))
    return new[:left], tuple(notes)


def _says(parts: EntryParts, text: str) -> tuple[str, bool]:
    """Return the key by which entries are equal; done and open entries differ."""
    return comparison_key(_body(parts, text)), bool(parts.done)


def _body(parts: EntryParts, text: str) -> str:
    return parts.body.of(text).strip()


def two_days(one: EntryParts, other: EntryParts) -> bool:
    """Return whether two entries have different dates: the same event may occur twice."""
    return bool(one.date and other.date and one.date.value != other.date.value)
