"""Reads a template's front matter key by key: the keys that are read are the valid ones."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.errors import ConfigError
from mdmem.formats.paths import OWNED, escapes_root, is_foreign, normal
from mdmem.formats.template import (
    FIELD_TYPES,
    EntryRule,
    FieldRule,
    FileLimits,
    SectionSpec,
    Template,
    TemplateView,
    fold,
)
from mdmem.text.document import Document, Section, parse
from mdmem.text.spans import Lines
from mdmem.text.yaml.yaml_source import Node

PROBLEMS = {  # what an error says of each kind of `YamlProblem`
    "broken": "the front matter is not valid YAML: {detail}",
    "alias": "the front matter has an alias: `{detail}`",
    "anchor": "the front matter has an anchor: `{detail}`",
    "tag": "the front matter has a tag: `{detail}`",
    "duplicate": "the front matter has the key `{detail}` twice",
    "key": "the front matter has a key that is not a word",
    "too-deep": "the front matter is nested too deeply",
    "too-long": "the front matter is too long",
}


class TemplateMapping:
    """One mapping of a template; every error names the file, the line and the valid values."""

    def __init__(self, node: Node, path: str, lines: Lines, name: str) -> None:
        self.path, self.lines, self.name = path, lines, name
        self.node = node
        if not isinstance(node.value, dict):
            raise self.error(node, "`{name}` must be a mapping", facts={"name": name})
        self.members = node.value
        self.asked: list[str] = []

    def error(self, node: Node, message: str, hint: str = "", facts: Mapping[str, object] | None = None) -> ConfigError:
        """Return an error with a node's line."""
        line = self.lines.at((node.key or node.span).start) + 1
        return ConfigError(message, path=self.path, line=line, hint=hint, facts=facts)

    def wrong_type(self, node: Node | None, key: str, kind: str) -> ConfigError:
        """Return the error for a value that is not of a kind, as `a text`."""
        return self.error(
            node or self.node,
            "`{table}{key}` must be {kind}",
            facts={"table": f"{self.name}.", "key": key, "kind": kind},
        )

    def get(self, key: str) -> Node | None:
        """Return the node of a key; a null counts as missing."""
        self.asked.append(key)
        node = self.members.get(key)
        return None if node is None or node.value is None else node

    def text(self, key: str) -> str:
        """Return a required text."""
        node = self.get(key)
        if node is None or not isinstance(node.value, str):
            raise self.wrong_type(node, key, "a text")
        return node.value

    def texts(self, key: str, default: tuple[str, ...] | None = None) -> tuple[str, ...]:
        """Return a list of texts; required if there is no default."""
        node = self.get(key)
        if node is None and default is not None:
            return default
        if node is None or not isinstance(node.value, list) or not all(isinstance(n.value, str) for n in node.value):
            raise self.wrong_type(node, key, "a list of texts")
        return tuple(str(item.value) for item in node.value)

    def choice(self, key: str, choices: tuple[str, ...], default: str | None = None) -> str:
        """Return one of the choices."""
        node = self.get(key)
        if node is None and default is not None:
            return default
        if node is None or node.value not in choices:
            facts = {"table": f"{self.name}.", "key": key, "names": ", ".join(choices)}
            raise self.error(node or self.node, "`{table}{key}` must be one of: {names}", facts=facts)
        return str(node.value)

    def number(self, key: str, default: int | None) -> int | None:
        """Return a whole number above zero."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, int) or isinstance(node.value, bool) or node.value < 1:
            raise self.wrong_type(node, key, "a whole number above 0")
        return node.value

    def bound(self, key: str) -> float | None:
        """Return a limit of a range, which may be any number."""
        node = self.get(key)
        if node is None:
            return None
        if not isinstance(node.value, int | float) or isinstance(node.value, bool):
            raise self.wrong_type(node, key, "a number")
        return float(node.value)

    def ratio(self, key: str) -> float | None:
        """Return a share between 0 and 1."""
        node = self.get(key)
        if node is None:
            return None
        if not isinstance(node.value, int | float) or isinstance(node.value, bool) or not 0 <= node.value <= 1:
            raise self.wrong_type(node, key, "a share between 0 and 1")
        return float(node.value)

    def flag(self, key: str, *, default: bool) -> bool:
        """Return a boolean."""
        node = self.get(key)
        if node is None:
            return default
        if not isinstance(node.value, bool):
            raise self.wrong_type(node, key, "true or false")
        return node.value

    def group(self, key: str) -> TemplateMapping:
        """Return a nested mapping; empty if it is missing."""
        node = self.get(key) or Node({}, self.node.span)
        return TemplateMapping(node, self.path, self.lines, f"{self.name}.{key}")

    def groups(self, key: str) -> dict[str, TemplateMapping]:
        """Return a mapping whose values are mappings."""
        return {
            name: TemplateMapping(node, self.path, self.lines, f"{self.name}.{key}.{name}")
            for name, node in self.group(key).members.items()
        }

    def words(self, key: str) -> dict[str, tuple[str, ...]]:
        """Return a mapping whose values are lists of texts."""
        group = self.group(key)
        return {name: group.texts(name) for name in group.members}

    def numbers(self, key: str) -> dict[str, float]:
        """Return a mapping whose values are numbers above zero."""
        group = self.group(key)
        for name, node in group.members.items():
            if not isinstance(node.value, int | float) or isinstance(node.value, bool) or node.value <= 0:
                raise group.wrong_type(node, name, "a number above 0")
        return {name: node.value for name, node in group.members.items() if isinstance(node.value, int | float)}

    def known(self, key: str, valid: list[str]) -> None:
        """Raise ConfigError for names below a key, in a list or as keys, that are no heading of the template."""
        value = self.members[key].value if key in self.members else None
        named = list(value.items()) if isinstance(value, dict) else []
        named += [(str(node.value), node) for node in value] if isinstance(value, list) else []
        for name, node in named:
            if name not in valid:
                facts = {"name": name, "names": ", ".join(valid)}
                raise self.error(node, "no heading is named `{name}`", "the headings are: {names}", facts)

    def done(self) -> None:
        """Raise ConfigError for keys that were not read."""
        for key, node in self.members.items():
            if key not in self.asked:
                facts = {"table": f"{self.name}.", "key": key, "valid": ", ".join(sorted(self.asked))}
                raise self.error(node, "unknown key `{table}{key}`", "valid keys: {valid}", facts)


_ENDINGS = (".md", ".markdown", ".txt", ".jsonl")  # of memory files


def read_header(data: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    """Read only the kind and the files of a template; raises ConfigError as `read_template`."""
    root = _root(parse(data), path)
    return root.text("kind"), _files(root)


def read_template(data: bytes, path: str, lang: str) -> Template:
    """Read a template.

    Raises:
        ConfigError: the front matter is broken, or a key is unknown, missing or of the wrong type; with file and line.
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
        files=_files(root),
        create=root.choice("create", ("never", "on-first-write", "on-init")),
        confirm=root.choice("confirm", ("none", "agent", "user"), "none"),
        owner=root.choice("owner", ("shared", *OWNED, "subject"), "shared"),
        body=root.choice("body", ("markdown", "raw"), "markdown"),
        policy=sections.choice("policy", ("closed", "open", "free"), "free"),
        ordered=sections.flag("ordered", default=False),
        default=_default(sections, specs),
        sections=specs,
        aliases=_aliases(sections.group("aliases"), specs),
        retired=tuple(fold(name) for name in sections.texts("retired", ())),
        entries=entries,
        front_matter=_fields(root.groups("front_matter")),
        file=_limits(root.group("file")),
        view=_view(root.group("view")),
        numbers=root.numbers("numbers"),
        parts=root.words("parts"),
        text=_without_schema(document),
        source=lambda: data,
    )
    sections.done()
    root.done()
    for key in ("required", "aliases", "entries"):
        sections.known(key, [spec.name for spec in specs])
    return template


def _without_schema(document: Document) -> str:
    front, text = document.front_matter, document.text
    node = front.node("mdmem") if front else None
    if front is None or node is None or node.key is None:
        return text
    if len(front.values) == 1:
        return text[front.span.end :].lstrip("\r\n")
    first, last = document.lines.at(node.key.start), document.lines.at(node.span.end - 1)
    # YAML ends a mapping at the next key; an unindented comment before that key belongs to it
    while last > first and document.lines.text(last).strip()[:1] in ("", "#"):
        last -= 1
    schema = document.lines.full(first, last)
    return text[: schema.start] + text[schema.end :]


def _root(document: Document, path: str) -> TemplateMapping:
    front = document.front_matter
    if front is None:
        hint = "begin it with `---`, `mdmem:` and its keys, and close with `---`"
        raise ConfigError("the template has no front matter", path=path, line=1, hint=hint)
    for problem in front.problems:
        line = document.lines.at(problem.span.start) + 1
        hint = "plain YAML only: no anchors, aliases or tags, and each key once"
        if problem.kind == "broken":
            hint = "close each bracket and each quotation, quote a value with `: ` or ` #`, and indent with spaces"
        raise ConfigError(PROBLEMS[problem.kind], path=path, line=line, hint=hint, facts={"detail": problem.detail})
    node = front.node("mdmem")
    if node is None:
        hint = "put the template's keys below `mdmem:`"
        raise ConfigError("the front matter has no `mdmem:` key", path=path, line=1, hint=hint)
    return TemplateMapping(node, path, document.lines, "mdmem")


def _files(root: TemplateMapping) -> tuple[str, ...]:
    """Read the names of the files; raises ConfigError for one that memory tools must not write.

    `init` writes these files, and a template may be part of a folder from somebody else.
    """
    names = root.texts("files")
    node = root.members["files"]
    if not names:
        hint = "name at least one file, as in `files: [MEMORY.md]`"
        raise root.error(node, "`{name}.files` is empty", hint, {"name": root.name})
    for name, item in zip(names, node.value if isinstance(node.value, list) else (), strict=True):
        if escapes_root(name) or is_foreign(normal(name)) or not name.endswith(_ENDINGS):
            facts = {"table": root.name, "name": name, "endings": ", ".join(_ENDINGS)}
            hint = "name a file inside the folder that ends in {endings}"
            raise root.error(item, "`{table}.files`: `{name}` is not a path for a memory file", hint, facts)
    return names


def _default(group: TemplateMapping, specs: tuple[SectionSpec, ...]) -> str:
    """Read the default section of an entry; raises ConfigError if it is no heading."""
    return group.choice("default", tuple(spec.name for spec in specs), "")


def _specs(group: TemplateMapping, document: Document, entries: EntryRule) -> tuple[SectionSpec, ...]:
    required = group.texts("required", ())
    overrides = {name: _entry_rule(one, entries) for name, one in group.groups("entries").items()}
    found = [section for section in document.sections if section.level > 1]
    for index, section in enumerate(found):
        if fold(section.title) in {fold(before.title) for before in found[:index]}:
            line = document.lines.at(section.heading.start) + 1
            raise ConfigError(
                "two headings are named `{title}`", path=group.path, line=line, facts={"title": section.title}
            )
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


def _aliases(group: TemplateMapping, specs: tuple[SectionSpec, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    taken = {fold(spec.name): spec.name for spec in specs}
    for name, node in group.members.items():
        for alias in group.texts(name):
            folded = fold(alias)
            if not folded:
                raise group.error(node, "the alias `{alias}` has neither letter nor digit", facts={"alias": alias})
            if taken.setdefault(folded, name) != name:
                facts = {"alias": alias, "name": taken[folded]}
                raise group.error(node, "the alias `{alias}` is already used for `{name}`", facts=facts)
            found[folded] = name
    return found


def _entry_rule(group: TemplateMapping, base: EntryRule) -> EntryRule:
    rule = base._replace(
        form=group.choice("form", ("list", "free"), base.form),
        max=group.number("max", base.max),
        compact_at=group.number("compact_at", base.compact_at),
        max_chars=group.number("max_chars", base.max_chars),
        dated=group.flag("dated", default=base.dated),
        unique=group.flag("unique", default=base.unique),
        recurs=group.flag("recurs", default=base.recurs),
        nested=group.flag("nested", default=base.nested),
        closed_fields=group.flag("closed_fields", default=base.closed_fields),
        fields={**base.fields, **_fields(group.groups("fields"))},
    )
    group.done()
    return rule


def _fields(groups: Mapping[str, TemplateMapping]) -> dict[str, FieldRule]:
    fields = {}
    for name, one in groups.items():
        kind = one.choice("type", FIELD_TYPES, "text")
        fields[name] = FieldRule(
            kind,
            one.texts("choices", None if kind == "choice" else ()),
            required=one.flag("required", default=False),
            unless=one.texts("unless", ()),
            least=one.bound("min") if kind == "number" else None,
            most=one.bound("max") if kind == "number" else None,
        )
        one.done()
    for name, rule in fields.items():
        _consistent(groups[name], rule, fields)
    return fields


def _consistent(group: TemplateMapping, rule: FieldRule, fields: Mapping[str, FieldRule]) -> None:
    if rule.least is not None and rule.most is not None and rule.least > rule.most:
        raise group.error(group.node, "`{name}.min` is above its `max`", facts={"name": group.name})
    if unknown := [key for key in rule.unless if key not in fields]:
        facts = {"name": group.name, "key": unknown[0], "names": ", ".join(fields)}
        raise group.error(group.node, "`{name}.unless` names an unknown key, `{key}`", "the keys are: {names}", facts)


def _limits(group: TemplateMapping) -> FileLimits:
    limits = FileLimits(group.number("max_chars", None), group.ratio("warn_ratio"), group.number("max_entries", None))
    group.done()
    return limits


def _view(group: TemplateMapping) -> TemplateView:
    view = TemplateView(
        group.number("max_chars", None),
        group.choice("cut", ("head", "head-tail", "fair", "top"), "head"),
        group.ratio("head"),
        group.ratio("tail"),
    )
    group.done()
    return view
