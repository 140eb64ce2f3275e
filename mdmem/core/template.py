"""A template is a schema: a file of `templates/` read as the definition of what such a file may be.

Its headings are the sections, the comment under a heading is that section's documentation, and its front matter
(`mdmem:`) holds every number and switch. The keys that a template may carry are those that `read_template` asks for;
an unknown one is an error that lists them. CONTRIBUTING shows a whole template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from mdmem.core.document import Document, Section, parse
from mdmem.core.group import Group
from mdmem.errors import ConfigError

FIELD_TYPES = ("text", "word", "date", "datetime", "duration", "number", "source", "path", "id", "choice")


class FieldRule(NamedTuple):
    """What a field of an entry, or a key of the front matter, must be."""

    type: str  # one of FIELD_TYPES
    choices: tuple[str, ...] = ()
    required: bool = False


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


@dataclass(frozen=True)
class Template:
    """One kind of memory file in one language."""

    kind: str
    lang: str  # empty for a template that serves every language
    path: str
    files: tuple[str, ...]
    create: str  # never, on-first-write, on-init
    confirm: str  # none, agent, user
    body: str  # markdown, raw
    policy: str  # closed: these sections only; open: these and others; free: whatever there is
    ordered: bool
    sections: tuple[SectionSpec, ...]
    aliases: Mapping[str, str]  # folded alias → canonical name
    entries: EntryRule
    front_matter: Mapping[str, FieldRule]  # keys of the file's own front matter
    file: FileLimits
    view: View
    numbers: Mapping[str, float]  # a kind's own numbers: those of its meters and defaults
    parts: Mapping[str, tuple[str, ...]]  # a kind's own words: what rules of 6xx look for, canonical spelling first
    document: Document

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

    def spec(self, name: str) -> SectionSpec | None:
        """Give the section of that canonical name."""
        return next((spec for spec in self.sections if spec.name == name), None)

    def rules(self, section: Section | None) -> EntryRule:
        """Give what holds for the entries of a section, or of the whole file where it names none."""
        spec = self.spec(self.name(section.title) or "") if section else None
        return spec.entries if spec else self.entries


def fold(title: str) -> str:
    """Fold a section title for comparison: case, spaces and decoration (emoji, brackets, colons) do not count."""
    return "".join(char for char in title.casefold() if char.isalnum())


def read_header(data: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    """Read only what a template is matched by: its kind and its files; raises ConfigError as `read_template`."""
    root = _root(parse(data), path)
    return root.text("kind"), root.texts("files")


def read_template(data: bytes, path: str, lang: str) -> Template:
    """Read a template.

    Raises:
        ConfigError: the front matter is broken, a key is unknown, missing or of the wrong kind; names file and line.
    """
    document = parse(data)
    root = _root(document, path)
    entries = _entry_rule(root.group("entries"), EntryRule())
    sections = root.group("sections")
    specs = _specs(sections, document, entries)
    template = Template(
        kind=root.text("kind"),
        lang=lang,
        path=path,
        files=root.texts("files"),
        create=root.choice("create", ("never", "on-first-write", "on-init")),
        confirm=root.choice("confirm", ("none", "agent", "user"), "none"),
        body=root.choice("body", ("markdown", "raw"), "markdown"),
        policy=sections.choice("policy", ("closed", "open", "free"), "free"),
        ordered=sections.flag("ordered", default=False),
        sections=specs,
        aliases=_aliases(sections.group("aliases"), specs),
        entries=entries,
        front_matter=_fields(root.groups("front_matter")),
        file=_limits(root.group("file")),
        view=_view(root.group("view")),
        numbers=root.numbers("numbers"),
        parts=root.words("parts"),
        document=document,
    )
    sections.done()
    root.done()
    for key in ("required", "aliases", "entries"):
        sections.known(key, [spec.name for spec in specs])
    return template


def _root(document: Document, path: str) -> Group:
    front = document.front_matter
    if front is None:
        hint = "begin it with `---`, `mdmem:` and its keys, and close with `---`"
        raise ConfigError("the template has no front matter", path=path, line=1, hint=hint)
    for problem in front.problems:
        line = document.lines.at(problem.span.start) + 1
        hint = "plain YAML only: no anchors, aliases or tags, and each key once"
        raise ConfigError(f"front matter: {problem.kind} ({problem.detail})", path=path, line=line, hint=hint)
    node = front.node("mdmem")
    if node is None:
        hint = "put the template's keys below `mdmem:`"
        raise ConfigError("the front matter has no `mdmem:` key", path=path, line=1, hint=hint)
    return Group(node, path, document.lines, "mdmem")


def _specs(group: Group, document: Document, entries: EntryRule) -> tuple[SectionSpec, ...]:
    required = group.texts("required", ())
    overrides = {name: _entry_rule(one, entries) for name, one in group.groups("entries").items()}
    found = [section for section in document.sections if section.level > 1]
    for index, section in enumerate(found):
        if fold(section.title) in {fold(before.title) for before in found[:index]}:
            line = document.lines.at(section.heading.start) + 1
            raise ConfigError(f"two headings are named `{section.title}`", path=group.path, line=line)
    return tuple(
        SectionSpec(
            name=section.title,
            level=section.level,
            doc=_doc(document, section),
            required=section.title in required,
            entries=overrides.get(section.title, entries),
        )
        for section in found
    )


def _doc(document: Document, section: Section) -> str:
    comment = next((c for c in document.comments if section.body.holds(c.span)), None)
    return comment.text.strip() if comment else ""


def _aliases(group: Group, specs: tuple[SectionSpec, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    taken = {fold(spec.name): spec.name for spec in specs}
    for name, node in group.members.items():
        for alias in group.texts(name):
            folded = fold(alias)
            if not folded:
                raise group.error(node, f"the alias `{alias}` has neither letter nor digit")
            if taken.setdefault(folded, name) != name:
                raise group.error(node, f"the alias `{alias}` already stands for `{taken[folded]}`")
            found[folded] = name
    return found


def _entry_rule(group: Group, base: EntryRule) -> EntryRule:
    rule = base._replace(
        form=group.choice("form", ("list", "free"), base.form),
        max=group.number("max", base.max),
        compact_at=group.number("compact_at", base.compact_at),
        max_chars=group.number("max_chars", base.max_chars),
        dated=group.flag("dated", default=base.dated),
        unique=group.flag("unique", default=base.unique),
        nested=group.flag("nested", default=base.nested),
        closed_fields=group.flag("closed_fields", default=base.closed_fields),
        fields={**base.fields, **_fields(group.groups("fields"))},
    )
    group.done()
    return rule


def _fields(groups: Mapping[str, Group]) -> dict[str, FieldRule]:
    fields = {}
    for name, one in groups.items():
        kind = one.choice("type", FIELD_TYPES, "text")
        choices = one.texts("choices", None if kind == "choice" else ())
        fields[name] = FieldRule(kind, choices, required=one.flag("required", default=False))
        one.done()
    return fields


def _limits(group: Group) -> FileLimits:
    limits = FileLimits(group.number("max_chars", None), group.ratio("warn_ratio"), group.number("max_entries", None))
    group.done()
    return limits


def _view(group: Group) -> View:
    view = View(
        group.number("max_chars", None),
        group.choice("cut", ("head", "head-tail", "fair", "top"), "head"),
        group.ratio("head"),
        group.ratio("tail"),
    )
    group.done()
    return view


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
