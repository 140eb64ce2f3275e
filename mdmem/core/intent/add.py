"""Adding entries: at the end of their section, in the order they come, each once, as many as there is room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mdmem.core.document import Document, Entry, Section, parse
from mdmem.core.edit import Edit, apply_edits
from mdmem.core.entry import Parts, read_entry
from mdmem.core.intent.content import contents
from mdmem.core.intent.find import find_section
from mdmem.core.intent.note import Intent, Note
from mdmem.core.intent.place import append, region
from mdmem.core.intent.section import make_section
from mdmem.core.key import entry_key
from mdmem.core.meters import fills, owner_of, size
from mdmem.core.oneline import one_line
from mdmem.core.record import NamedTuple
from mdmem.core.similarity import essence, rough
from mdmem.core.template import EntryRule, SectionSpec, Template, fold
from mdmem.core.text import Span
from mdmem.errors import TargetError


def add(
    document: Document | None,
    template: Template | None,
    texts: Sequence[str],
    *,
    section: str | None = None,
    fields: Mapping[str, str] = {},
) -> Intent:
    """Add entries to a section; without one, to the default section of the kind, or to a file that has no sections.

    No file yet, or an empty one, begins as the template writes it. What the section says already is not added again
    (note `duplicate`); what it has no room for is given back (note `full`), for no write leaves it above its cap.

    Raises:
        TargetError: there is no such section, or none was named where there are several.
        UsageError, RefusedError: a text cannot be written; none was.
        VerificationError: there is no place where it would stand as an entry.
    """
    if document is not None and document.text.strip("\ufeff \t\r\n"):
        return _into(document, template, texts, section, fields)
    base = parse(template.text.encode("utf-8", "surrogateescape") if template else b"")
    intent = _into(base, template, texts, section, fields)
    if not intent.edits:
        return intent
    new = apply_edits(base.text, intent.edits)
    whole = Span(document.start, len(document.text)) if document else Span(0, 0)
    return intent._replace(edits=(Edit(whole, new if new.endswith("\n") else f"{new}\n"),))


def _into(
    document: Document, template: Template | None, texts: Sequence[str], name: str | None, fields: Mapping[str, str]
) -> Intent:
    target = _target(document, template, name)
    where = region(document, target if isinstance(target, Section) else None)
    owner = target if isinstance(target, SectionSpec) else template and owner_of(document, template, target)
    rule = owner.entries if owner else template.entries if template else EntryRule()
    made = contents(texts, fields, rule)
    earlier = () if isinstance(target, SectionSpec) else where.entries
    new, refused = admit([one.text for one in made], earlier, rule, room(document, template, owner, earlier))
    notes = (*(note for one in made for note in one.notes), *refused)
    if not new:
        return Intent((), notes)
    if template and isinstance(target, SectionSpec):
        made_section = Note("section-made", {"section": target.name})
        return Intent((make_section(document, template, target, new),), (*notes, made_section))
    return Intent((append(document, where, new),), notes)


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


class Room(NamedTuple):
    """How many entries a section takes; None where there is no cap."""

    section: str
    left: int | None
    max: int | None


def room(
    document: Document, template: Template | None, owner: SectionSpec | None, here: Sequence[Entry], *, freed: int = 0
) -> Room:
    """Count how many entries more the section and the file allow, when some that are there go."""
    if template is None:
        return Room("", None, None)
    most = owner.entries.max if owner else template.entries.max
    inside = [fill.number for fill in fills(document, template) if owner and fill.spec.name == owner.name]
    caps = [(most, inside[0] if inside else len(here)), (template.file.max_entries, size(document).entries)]
    left = [(max(0, cap - number + freed), cap) for cap, number in caps if cap is not None]
    return Room(owner.name if owner else "", *min(left, default=(None, None)))


def admit(
    texts: Sequence[str], earlier: Sequence[Entry], rule: EntryRule, room: Room
) -> tuple[list[str], tuple[Note, ...]]:
    """Sort texts into those to write and those that are there already or do not fit."""
    asked = {rough(_body(read_entry(text), text)) for text in texts}
    said: dict[tuple[str, bool], list[tuple[Parts, int, str]]] = {}
    for entry in earlier if rule.unique else ():
        if rough(_body(entry.parts, entry.text)) in asked:  # a tenth of the cost, where a file is long
            said.setdefault(_says(entry.parts, entry.text), []).append((entry.parts, entry.line + 1, entry.text))
    new: list[str] = []
    notes: list[Note] = []
    for text in texts:
        parts = read_entry(text)
        known = said.setdefault(_says(parts, text), []) if rule.unique else []
        same = next(((line, first) for one, line, first in known if not _two_days(one, parts)), None)
        if same and _body(parts, text):
            notes.append(Note("duplicate", {"text": text, "line": same[0], "key": entry_key(same[1])}))
            continue
        known.append((parts, 0, text))
        new.append(text)
    left = len(new) if room.left is None else room.left
    if new[left:]:
        notes.append(Note("full", {"section": room.section, "max": room.max, "texts": tuple(new[left:])}))
    return new[:left], tuple(notes)


def _says(parts: Parts, text: str) -> tuple[str, bool]:
    """Give what makes two entries one: what is done, and what is still to do, are two things."""
    return essence(_body(parts, text)), bool(parts.done)


def _body(parts: Parts, text: str) -> str:
    return parts.body.of(text).strip()


def _two_days(one: Parts, other: Parts) -> bool:
    """Tell whether two entries bear two dates: the same may have happened twice."""
    return bool(one.date and other.date and one.date.value != other.date.value)
