"""A template is a schema: a file of `templates/` read as the definition of what such a file may be.

Its headings are the sections, the comment under a heading is that section's documentation, and its front matter
(`mdmem:`) holds every number and switch. The keys that a template may carry are those that `read_template` asks for;
an unknown one is an error that lists them. CONTRIBUTING shows a whole template.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from mdmem.core.document import Document, Section, parse
from mdmem.core.text import Lines
from mdmem.core.yaml import Node
from mdmem.errors import ConfigError


@dataclass(frozen=True, slots=True)
class FieldRule:
    """What a field of an entry must be."""

    type: str  # text, word, date, datetime, duration, number, source, path, id, choice
    choices: tuple[str, ...] = ()
    required: bool = False


@dataclass(frozen=True, slots=True)
class EntryRule:
    """What the entries of a section must be; None is «no limit»."""

    form: str = "free"  # `list`: every memory is a one-line item; `free`: prose is welcome
    max: int | None = None  # entries in a section
    compact_at: int | None = None  # entries at which the section waits for the keeper
    max_chars: int | None = None  # characters of one entry
    dated: bool = False  # every entry carries a date
    unique: bool = False  # an entry that says what another says is a finding
    nested: bool = True  # items below items are welcome
    closed_fields: bool = False  # fields that are not listed are findings
    fields: Mapping[str, FieldRule] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SectionSpec:
    """A section that the template names."""

    name: str
    level: int
    doc: str
    required: bool
    entries: EntryRule


@dataclass(frozen=True, slots=True)
class FileLimits:
    """Soft limits of a whole file."""

    max_chars: int | None
    warn_ratio: float | None  # share of max_chars from which the file is near its limit
    max_entries: int | None


@dataclass(frozen=True, slots=True)
class View:
    """How much of the file a model is shown, and how it is cut."""

    max_chars: int | None
    cut: str  # head, head-tail, fair, top
    head: float | None
    tail: float | None


@dataclass(frozen=True)
class Template:
    """One kind of memory file in one language."""

    kind: str
    lang: str
    path: str
    files: tuple[str, ...]
    create: str  # never, on-first-write, on-init
    confirm: str  # none, agent, user
    body: str  # markdown, raw
    policy: str  # closed: these sections only; open: these and others; free: whatever there is
    ordered: bool
    sections: tuple[SectionSpec, ...]
    aliases: dict[str, str]
    entries: EntryRule
    file: FileLimits
    view: View
    parts: dict[str, str]  # a kind's own words: names that rules of 6xx need
    document: Document

    @cached_property
    def text(self) -> str:
        """What `mdmem init` writes: the template without its `mdmem:` key."""
        front = self.document.front_matter
        if front is None:
            return self.document.text
        node = front.node("mdmem")
        others = [key for key in front.values if key != "mdmem"]
        body = self.document.text[front.span.end :]
        if node is None or node.key is None or not others:
            return body.lstrip("\r\n")
        return front.span.of(self.document.text).replace(_block(front.yaml.of(self.document.text)), "") + body

    def name(self, title: str) -> str | None:
        """Give the canonical section name for a title or alias; None when the template knows neither."""
        folded = fold(title)
        return next((spec.name for spec in self.sections if fold(spec.name) == folded), self.aliases.get(folded))

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


def _block(yaml: str) -> str:
    """Give the lines of the `mdmem:` key: from it to the next key that is not indented."""
    match = re.search(r"^mdmem:.*?(?=^[^\s#]|\Z)", yaml, re.MULTILINE | re.DOTALL)
    return match.group() if match else ""


def read_template(data: bytes, path: str, lang: str) -> Template:
    """Read a template.

    Raises:
        ConfigError: the front matter is broken, a key is unknown, missing or of the wrong kind; names file and line.
    """
    document = parse(data)
    root = _root(document, path)
    kind, files = root.text("kind"), root.texts("files")
    create = root.choice("create", ("never", "on-first-write", "on-init"))
    confirm = root.choice("confirm", ("none", "agent", "user"), "none")
    body = root.choice("body", ("markdown", "raw"), "markdown")
    with_sections, entries = root.group("sections"), _entry_rule(root.group("entries"), None)
    policy = with_sections.choice("policy", ("closed", "open", "free"), "free")
    ordered = with_sections.flag("ordered", default=False)
    required = with_sections.texts("required", ())
    aliases = with_sections.aliases("aliases")
    overrides = {name: _entry_rule(group, entries) for name, group in with_sections.groups("entries").items()}
    with_sections.done()
    file, view = _limits(root.group("file")), _view(root.group("view"))
    parts = root.words("parts")
    root.done()
    names = [section for section in document.sections if section.level > 1]
    specs = tuple(
        SectionSpec(
            section.title, section.level, _doc(document, section),
            section.title in required, overrides.get(section.title, entries),
        )
        for section in names
    )  # fmt: skip
    root.known("sections", [spec.name for spec in specs], [*required, *aliases.values(), *overrides])
    return Template(
        kind, lang, path, files, create, confirm, body, policy, ordered, specs, aliases, entries, file, view, parts,
        document,
    )  # fmt: skip


def _doc(document: Document, section: Section) -> str:
    comment = next((c for c in document.comments if section.body.holds(c.span)), None)
    return comment.text.strip() if comment else ""


def _entry_rule(group: Group, base: EntryRule | None) -> EntryRule:
    fallback = base or EntryRule()
    fields = {**fallback.fields}
    for name, one in group.groups("fields").items():
        kind = one.choice("type", FIELD_TYPES, "text")
        fields[name] = FieldRule(kind, one.texts("choices", ()), required=one.flag("required", default=False))
        one.done()
    rule = replace(
        fallback,
        form=group.choice("form", ("list", "free"), fallback.form),
        max=group.number("max", fallback.max),
        compact_at=group.number("compact_at", fallback.compact_at),
        max_chars=group.number("max_chars", fallback.max_chars),
        dated=group.flag("dated", default=fallback.dated),
        unique=group.flag("unique", default=fallback.unique),
        nested=group.flag("nested", default=fallback.nested),
        closed_fields=group.flag("closed_fields", default=fallback.closed_fields),
        fields=fields,
    )
    group.done()
    return rule


FIELD_TYPES = ("text", "word", "date", "datetime", "duration", "number", "source", "path", "id", "choice")


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


def _root(document: Document, path: str) -> Group:
    front = document.front_matter
    if front is None:
        raise ConfigError(
            "the template has no front matter", path=path, line=1, hint="begin it with `---` and `mdmem:`"
        )
    for problem in front.problems:
        line = document.lines.at(problem.span.start) + 1
        raise ConfigError(f"front matter: {problem.kind} ({problem.detail})", path=path, line=line)
    node = front.node("mdmem")
    if node is None:
        raise ConfigError("the front matter has no `mdmem:` key", path=path, line=1)
    return Group(node, path, document.lines, "mdmem")


class Group:
    """A mapping of a template that is asked key by key; the keys asked for are the valid ones."""

    def __init__(self, node: Node, path: str, lines: Lines, name: str) -> None:
        self.path, self.lines, self.name = path, lines, name
        self.node = node
        if not isinstance(node.value, dict):
            raise self.error(node, f"`{name}` must be a mapping")
        self.members = node.value
        self.asked: list[str] = []

    def error(self, node: Node, message: str, hint: str = "") -> ConfigError:
        """Make the error that points at a node's line."""
        return ConfigError(message, path=self.path, line=self.lines.at((node.key or node.span).start) + 1, hint=hint)

    def get(self, key: str) -> Node | None:
        """Ask for a key; a null counts as absent."""
        self.asked.append(key)
        node = self.members.get(key)
        return None if node is None or node.value is None else node

    def text(self, key: str) -> str:
        """Give a required text."""
        node = self.get(key)
        if node is None or not isinstance(node.value, str):
            raise self.error(node or self.node, f"`{self.name}.{key}` must be a text")
        return node.value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Give a list of texts; required where there is no default."""
        node = self.get(key)
        if node is None and default is not None:
            return default
        if node is None or not isinstance(node.value, list) or not all(isinstance(n.value, str) for n in node.value):
            raise self.error(node or self.node, f"`{self.name}.{key}` must be a list of texts")
        return tuple(str(item.value) for item in node.value)

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Give one of a few words."""
        node = self.get(key)
        if node is None and default is not None:
            return default
        if node is None or node.value not in choices:
            raise self.error(node or self.node, f"`{self.name}.{key}` must be one of: {', '.join(choices)}")
        return str(node.value)

    def number(self, key: str, default: int | None) -> int | None:
        """Give a whole number above zero."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value < 1:
            raise self.error(node, f"`{self.name}.{key}` must be a whole number above 0")
        return node.value

    def ratio(self, key: str) -> float | None:
        """Give a share between 0 and 1."""
        node = self.get(key)
        if node is None:
            return None
        if not isinstance(node.value, int | float) or isinstance(node.value, bool) or not 0 <= node.value <= 1:
            raise self.error(node, f"`{self.name}.{key}` must be a share between 0 and 1")
        return float(node.value)

    def flag(self, key: str, *, default: bool) -> bool:
        """Give true or false."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, bool):
            raise self.error(node, f"`{self.name}.{key}` must be true or false")
        return node.value

    def group(self, key: str) -> Group:
        """Give a mapping below this one; empty where it is absent."""
        node = self.get(key) or Node({}, self.node.span)
        return Group(node, self.path, self.lines, f"{self.name}.{key}")

    def groups(self, key: str) -> dict[str, Group]:
        """Give a mapping whose values are mappings."""
        return {
            name: Group(node, self.path, self.lines, f"{self.name}.{key}.{name}")
            for name, node in self.group(key).members.items()
        }

    def words(self, key: str) -> dict[str, str]:
        """Give a mapping of texts."""
        group = self.group(key)
        return {name: group.text(name) for name in group.members}

    def aliases(self, key: str) -> dict[str, str]:
        """Give folded alias → canonical name, from a mapping of name → its aliases."""
        group = self.group(key)
        return {fold(alias): name for name in group.members for alias in group.texts(name)}

    def known(self, key: str, valid: list[str], used: list[str]) -> None:
        """Refuse names that the template's body does not carry as a heading."""
        for name in used:
            if name not in valid:
                where = self.members.get(key) or self.node
                raise self.error(where, f"no heading is named `{name}`", f"the headings are: {', '.join(valid)}")

    def done(self) -> None:
        """Refuse the keys that nobody asked for."""
        for key, node in self.members.items():
            if key not in self.asked:
                raise self.error(
                    node, f"unknown key `{self.name}.{key}`", f"valid keys: {', '.join(sorted(self.asked))}"
                )
