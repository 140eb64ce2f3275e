"""A template is a schema: a file of `templates/` read as the definition of what such a file may be.

Its headings are the sections, the comment under a heading is that section's documentation, and its front matter
(`mdmem:`) holds every number and switch. The keys that a template may carry are those that `read_template` asks for;
an unknown one is an error that lists them. CONTRIBUTING shows a whole template.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from mdmem.core.document import Document, Section, parse
from mdmem.core.record import NamedTuple

FIELD_TYPES = ("text", "word", "date", "datetime", "duration", "number", "source", "path", "id", "choice")


class FieldRule(NamedTuple):
    """What a field of an entry, or a key of the front matter, must be."""

    type: str  # one of FIELD_TYPES
    choices: tuple[str, ...] = ()
    required: bool = False
    unless: tuple[str, ...] = ()  # keys that may replace a required one
    least: float | None = None  # the range of a number, both ends included
    most: float | None = None


class EntryRule(NamedTuple):
    """What the entries of a section must be; None is «no limit»."""

    form: str = "free"  # `list`: every memory is a one-line item; `free`: prose is welcome
    max: int | None = None  # entries in a section
    compact_at: int | None = None  # entries at which the section waits for the keeper
    max_chars: int | None = None  # characters of one entry
    dated: bool = False  # every entry carries a date
    unique: bool = False  # an entry that says what another says is a finding
    nested: bool = True  # items below items are welcome
    closed_fields: bool = False  # fields that are not listed are findings
    fields: Mapping[str, FieldRule] = {}  # never changed


class SectionSpec(NamedTuple):
    """A section that the template names."""

    name: str
    level: int
    doc: str
    required: bool
    entries: EntryRule


class FileLimits(NamedTuple):
    """Soft limits of a whole file."""

    max_chars: int | None
    warn_ratio: float | None  # share of max_chars from which the file is near its limit
    max_entries: int | None


class View(NamedTuple):
    """How much of the file a model is shown, and how it is cut."""

    max_chars: int | None
    cut: str  # head, head-tail, fair, top
    head: float | None
    tail: float | None


class Schema(NamedTuple):
    """What a template's front matter and headings say."""

    kind: str
    lang: str  # empty for a template that serves every language
    path: str
    files: tuple[str, ...]
    create: str  # never, on-first-write, on-init
    confirm: str  # none, agent, user
    body: str  # markdown, raw
    policy: str  # closed: these sections only; open: these and others; free: whatever there is
    ordered: bool
    default: str  # the section of an entry for which none is named; empty where one must be named
    sections: tuple[SectionSpec, ...]
    aliases: Mapping[str, str]  # folded alias → canonical name
    retired: tuple[str, ...]  # folded names of sections whose entries belong in the archive
    entries: EntryRule
    front_matter: Mapping[str, FieldRule]  # keys of the file's own front matter
    file: FileLimits
    view: View
    numbers: Mapping[str, float]  # a kind's own numbers: those of its meters and defaults
    parts: Mapping[str, tuple[str, ...]]  # a kind's own words: what rules of 6xx look for, canonical spelling first
    source: Callable[[], bytes]  # the file itself


class Template(Schema):
    """One kind of memory file in one language: its schema, and the file that `mdmem init` writes."""

    @cached_property
    def document(self) -> Document:
        """The template as a document: its title, the comments that document its sections, its closing lines."""
        return parse(self.source())

    @cached_property
    def text(self) -> str:
        """What `mdmem init` writes: the template without its `mdmem:` key."""
        return _without_schema(self.document)

    @cached_property
    def _names(self) -> dict[str, str]:
        return {**self.aliases, **{fold(spec.name): spec.name for spec in self.sections}}

    def name(self, title: str) -> str | None:
        """Give the canonical section name for a title or alias; None when the template knows neither."""
        return self._names.get(fold(title))

    def is_retired(self, title: str) -> bool:
        """Return True if the entries of a section with that title belong in the archive."""
        return fold(title) in self.retired

    def named(self, section: Section) -> str | None:
        """Return the canonical name of a file's section; an alias at a higher level, as in the H1, is no name."""
        name = self.name(section.title)
        spec = self.spec(name) if name else None
        if spec and section.level < spec.level and fold(section.title) != fold(spec.name):
            return None
        return name

    def spec(self, name: str) -> SectionSpec | None:
        """Give the section of that canonical name."""
        return next((spec for spec in self.sections if spec.name == name), None)

    def pack(self) -> list[Any]:
        """Give the schema as JSON's types, so that it can be remembered instead of read."""
        return list(self[:-1])

    def rules(self, section: Section | None) -> EntryRule:
        """Give what holds for the entries of a section, or of the whole file where it names none."""
        spec = self.spec(self.named(section) or "") if section else None
        return spec.entries if spec else self.entries


def unpack(values: list[Any], source: Callable[[], bytes]) -> Template:
    """Read what `Template.pack` gave."""
    packed: dict[str, Any] = dict(zip(_PACKED, values, strict=True))
    packed["files"], packed["retired"] = tuple(packed["files"]), tuple(packed["retired"])
    packed["sections"] = tuple(
        SectionSpec(name, level, doc, required, _rule(rule)) for name, level, doc, required, rule in packed["sections"]
    )
    packed["entries"] = _rule(packed["entries"])
    packed["front_matter"] = _rules(packed["front_matter"])
    packed["file"], packed["view"] = FileLimits(*packed["file"]), View(*packed["view"])
    packed["parts"] = {name: tuple(words) for name, words in packed["parts"].items()}
    return Template(**packed, source=source)


_PACKED = Schema._fields[:-1]  # all but where the file itself comes from


def _rule(values: list[Any]) -> EntryRule:
    return EntryRule(*values)._replace(fields=_rules(values[-1]))


def _rules(values: Mapping[str, list[Any]]) -> dict[str, FieldRule]:
    return {
        name: FieldRule(kind, tuple(choices), required, tuple(unless), least, most)
        for name, (kind, choices, required, unless, least, most) in values.items()
    }


def fold(title: str) -> str:
    """Fold a section title for comparison: case, spaces and decoration (emoji, brackets, colons) do not count."""
    return "".join(char for char in title.casefold() if char.isalnum())


def _without_schema(document: Document) -> str:
    front, text = document.front_matter, document.text
    node = front.node("mdmem") if front else None
    if front is None or node is None or node.key is None:
        return text
    if len(front.values) == 1:
        return text[front.span.end :].lstrip("\r\n")
    first, last = document.lines.at(node.key.start), document.lines.at(node.span.end - 1)
    # YAML ends a mapping where the next key begins; a comment at the margin before it belongs to that key
    while last > first and document.lines.text(last).strip()[:1] in ("", "#"):
        last -= 1
    schema = document.lines.full(first, last)
    return text[: schema.start] + text[schema.end :]
