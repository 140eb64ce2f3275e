"""Reads a template: what its front matter and headings say, or a refusal that names file, line and valid keys."""

from __future__ import annotations

from collections.abc import Mapping

from mdmem.core.document import Document, Section, parse
from mdmem.core.group import Group
from mdmem.core.paths import closed, leaves, normal
from mdmem.core.template import FIELD_TYPES, EntryRule, FieldRule, FileLimits, SectionSpec, Template, View, fold
from mdmem.errors import ConfigError

_ENDINGS = (".md", ".markdown", ".txt", ".jsonl")  # of memory files


def read_header(data: bytes, path: str) -> tuple[str, tuple[str, ...]]:
    """Read only what a template is matched by: its kind and its files; raises ConfigError as `read_template`."""
    root = _root(parse(data), path)
    return root.text("kind"), _files(root)


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
        files=_files(root),
        create=root.choice("create", ("never", "on-first-write", "on-init")),
        confirm=root.choice("confirm", ("none", "agent", "user"), "none"),
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
        source=lambda: data,
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


def _files(root: Group) -> tuple[str, ...]:
    """Read the names of the files; raises ConfigError for one that no memory tool may write.

    `init` writes what a template names, and a template may come with a folder that somebody else made.
    """
    names = root.texts("files")
    node = root.members["files"]
    if not names:
        raise root.error(node, f"`{root.name}.files` is empty", "name at least one file, as in `files: [MEMORY.md]`")
    for name, item in zip(names, node.value if isinstance(node.value, list) else (), strict=True):
        if leaves(name) or closed(normal(name)) or not name.endswith(_ENDINGS):
            hint = f"name a file inside the folder that ends in {', '.join(_ENDINGS)}"
            raise root.error(item, f"`{root.name}.files`: `{name}` is not a path for a memory file", hint)
    return names


def _default(group: Group, specs: tuple[SectionSpec, ...]) -> str:
    """Read the section of an entry for which none is named; raises ConfigError for one that is no heading."""
    return group.choice("default", tuple(spec.name for spec in specs), "")


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


def _consistent(group: Group, rule: FieldRule, fields: Mapping[str, FieldRule]) -> None:
    if rule.least is not None and rule.most is not None and rule.least > rule.most:
        raise group.error(group.node, f"`{group.name}.min` is above its `max`")
    if unknown := [key for key in rule.unless if key not in fields]:
        valid = ", ".join(fields)
        raise group.error(group.node, f"`{group.name}.unless` names no key `{unknown[0]}`", f"the keys are: {valid}")


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
