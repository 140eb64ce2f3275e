"""Templates as schemas: a file of `templates/` defines the files of its kind.

Its headings are the sections, the comment under a heading is that section's documentation, and its front matter
(`mdmem:`) contains every number and switch. The valid keys are those that `read_template` reads; an unknown key is an
error that lists them. CONTRIBUTING shows a whole template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

from mdmem.errors import ConfigError
from mdmem.formats.paths import OWNED, user_place
from mdmem.text.document import Document, Section, parse
from mdmem.text.globs import without_backtracking
from mdmem.text.inline import has_chinese
from mdmem.text.pattern import Pattern, pattern

FIELD_TYPES = ("text", "word", "date", "datetime", "duration", "number", "source", "path", "id", "choice", "list")


class FieldRule(NamedTuple):
    """The rule for a field of an entry, or a key of the front matter."""

    type: str  # one of FIELD_TYPES
    choices: tuple[str, ...] = ()
    required: bool = False
    unless: tuple[str, ...] = ()  # keys that may replace a required one
    least: float | None = None  # the range of a number, both ends included
    most: float | None = None


class EntryRule(NamedTuple):
    """The rules for the entries of a section; None means no limit."""

    form: str = "free"  # `list`: every memory is a one-line item; `free`: prose is allowed
    max: int | None = None  # entries in a section
    compact_at: int | None = None  # entries at which the section waits for the keeper
    max_chars: int | None = None  # characters of one entry
    dated: bool = False  # every entry must have a date
    unique: bool = False  # a duplicate entry is a finding
    recurs: bool = False  # said on another date, it is another event; without it, it is the same memory
    nested: bool = True  # nested items are allowed
    closed_fields: bool = False  # fields that are not listed are findings
    fields: Mapping[str, FieldRule] = {}  # never changed


class SectionSpec(NamedTuple):
    """A section of the template."""

    name: str
    level: int
    doc: str
    required: bool
    entries: EntryRule


class FileLimits(NamedTuple):
    """Soft limits of a whole file."""

    max_chars: int | None
    warn_ratio: float | None  # share of max_chars from which a warning is given
    max_entries: int | None


class TemplateView(NamedTuple):
    """How many characters of the file a model is shown, and how it is cut."""

    max_chars: int | None
    cut: str  # head, head-tail, fair, top
    head: float | None
    tail: float | None


class Schema(NamedTuple):
    """The content of a template's front matter and headings."""

    kind: str
    lang: str  # empty for a template that serves every language
    path: str
    files: tuple[str, ...]
    create: str  # never, on-first-write, on-init
    confirm: str  # none, agent, user
    owner: str  # shared; user: each user's own; both: own ones beside the shared one; subject: own if about the user
    body: str  # markdown, raw
    policy: str  # closed: only these sections; open: these and others; free: any
    ordered: bool
    default: str  # the default section of an entry; empty if one must be named
    sections: tuple[SectionSpec, ...]
    aliases: Mapping[str, str]  # folded alias → canonical name
    retired: tuple[str, ...]  # folded names of sections whose entries belong in the archive
    entries: EntryRule
    front_matter: Mapping[str, FieldRule]  # keys of the file's own front matter
    file: FileLimits
    view: TemplateView
    numbers: Mapping[str, float]  # numbers of the kind
    parts: Mapping[str, tuple[str, ...]]  # words of the kind, for its rules (6xx); canonical spelling first
    text: str  # what `mdmem init` writes: the template without its `mdmem:` key
    source: Callable[[], bytes]  # reads the file


class Template(Schema):
    """One kind of memory file in one language: its schema, and the file that `mdmem init` writes."""

    @cached_property
    def document(self) -> Document:
        """The template as a document."""
        return parse(self.source())

    @cached_property
    def _names(self) -> dict[str, str]:
        return {**self.aliases, **{fold(spec.name): spec.name for spec in self.sections}}

    def name(self, title: str) -> str | None:
        """Return the canonical section name for a title or alias; None if it is unknown."""
        return self._names.get(fold(title))

    def is_retired(self, title: str) -> bool:
        """Return True if the entries of a section with that title belong in the archive."""
        return fold(title) in self.retired

    def named(self, section: Section) -> str | None:
        """Return the canonical name of a file's section; an alias at a higher level, as the H1, does not count."""
        name = self.name(section.title)
        spec = self.spec(name) if name else None
        if spec and section.level < spec.level and fold(section.title) != fold(spec.name):
            return None
        return name

    def spec(self, name: str) -> SectionSpec | None:
        """Return the section with this canonical name."""
        return next((spec for spec in self.sections if spec.name == name), None)

    def pack(self) -> list[Any]:
        """Return the schema as JSON types, for the cache."""
        return list(self[:-1])

    def rules(self, section: Section | None) -> EntryRule:
        """Return the rules for the entries of a section; for an unknown section, those of the whole file."""
        spec = self.spec(self.named(section) or "") if section else None
        return spec.entries if spec else self.entries


def unpack(values: list[Any], source: Callable[[], bytes]) -> Template:
    """Read the result of `Template.pack`."""
    packed: dict[str, Any] = dict(zip(_PACKED, values, strict=True))
    packed["files"], packed["retired"] = tuple(packed["files"]), tuple(packed["retired"])
    packed["sections"] = tuple(
        SectionSpec(name, level, doc, required, _rule(rule)) for name, level, doc, required, rule in packed["sections"]
    )
    packed["entries"] = _rule(packed["entries"])
    packed["front_matter"] = _rules(packed["front_matter"])
    packed["file"], packed["view"] = FileLimits(*packed["file"]), TemplateView(*packed["view"])
    packed["parts"] = {name: tuple(words) for name, words in packed["parts"].items()}
    return Template(**packed, source=source)


_PACKED = Schema._fields[:-1]  # all but `source`


def _rule(values: list[Any]) -> EntryRule:
    return EntryRule(*values)._replace(fields=_rules(values[-1]))


def _rules(values: Mapping[str, list[Any]]) -> dict[str, FieldRule]:
    return {
        name: FieldRule(kind, tuple(choices), required, tuple(unless), least, most)
        for name, (kind, choices, required, unless, least, most) in values.items()
    }


@lru_cache(maxsize=1024)  # a file is looked at several times, and each time at all its titles
def fold(title: str) -> str:
    """Fold a section title for comparison: ignores case, spaces and decoration (emoji, brackets, colons)."""
    return "".join(char for char in title.casefold() if char.isalnum())


class TemplateOffer(NamedTuple):
    """A template that is read on first use of its kind; until then only its kind and files are known."""

    kind: str
    lang: str
    files: tuple[str, ...]
    read: Callable[[], Template]


class Schemas:
    """All kinds in all languages; a later template replaces an earlier one of its kind and language.

    A template without a language is for every language, so it replaces all earlier ones of its kind.
    """

    def __init__(self, templates: Iterable[Template | TemplateOffer], lang: str, user: str = "") -> None:
        """Bind to templates; the files of a kind that each user has are those of `user`."""
        self.lang, self._user = lang, user
        self._kinds: dict[str, str] = {}  # cached, because the same paths are looked up repeatedly
        self._by_kind: dict[str, dict[str, Template | TemplateOffer]] = {}
        self._placed: dict[tuple[str, str], Template] = {}  # the templates that were read, by kind and language
        for template in templates:
            if not template.lang:
                self._by_kind[template.kind] = {}
            self._by_kind.setdefault(template.kind, {})[template.lang] = template
        globs = {
            glob: kind
            for kind, languages in self._by_kind.items()
            for template in languages.values()
            for glob in template.files
        }
        self._globs = sorted(globs.items(), key=lambda item: -len(item[0]))  # the longest first
        self._chosen = lru_cache(maxsize=32)(self._language)  # a change looks at a file from several sides

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of all kinds."""
        return tuple(self._by_kind)

    def languages(self, kind: str) -> Mapping[str, Template]:
        """Return a kind's templates by language; empty for an unknown kind."""
        return {lang: self._read(kind, lang) for lang in self._by_kind.get(kind, {})}

    def _read(self, kind: str, lang: str) -> Template:
        """Return a template; its files are those of the user, if each user has files of the kind."""
        found = self._placed.get((kind, lang))
        if found is None:
            offer = self._by_kind[kind][lang]
            found = offer.read() if isinstance(offer, TemplateOffer) else offer
            if self._user and found.owner in OWNED:
                found = found._replace(files=tuple(user_place(self._user, name) for name in found.files))
            self._placed[kind, lang] = found
        return found

    def get(self, kind: str, lang: str | None = None) -> Template | None:
        """Return a kind's template in a language, else in the workspace's, else in any."""
        offered = self._by_kind.get(kind, {})  # one language is read, not all
        chosen = next((one for one in (lang or self.lang, self.lang, *offered) if one in offered), None)
        return None if chosen is None else self._read(kind, chosen)

    def required(self, kind: str, hint: str = "") -> Template:
        """Return what `get` returns, for a feature that cannot work without the kind.

        Raises:
            ConfigError: there is no template of the kind.
        """
        found = self.get(kind)
        if found is None:
            raise ConfigError("there is no template of the kind `{kind}`", hint=hint, facts={"kind": kind})
        return found

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The type of each field that a template declares, by its key.

        Any other field is text of its author.
        """
        templates = (template for kind in self.kinds for template in self.languages(kind).values())
        rules = (rule for one in templates for rule in (one.entries, *(spec.entries for spec in one.sections)))
        return {key.casefold(): field.type for rule in rules for key, field in rule.fields.items()}

    def kind(self, path: str) -> str:
        """Return the kind of a file by its path, without reading a template; empty if it is not a memory file."""
        if path not in self._kinds:
            self._kinds[path] = next((kind for glob, kind in self._globs if _fits(glob, path)), "")
        return self._kinds[path]

    def respelled(self, path: str) -> str:
        """Return a path with its name spelt as a kind's own file: `MEMORY.md` for `memory.md`; empty for any other."""
        folder, slash, name = path.rpartition("/")
        own = self._own_names.get(name.casefold(), name)
        return "" if own == name else f"{folder}{slash}{own}"

    @cached_property
    def _own_names(self) -> dict[str, str]:
        return {glob.casefold(): glob for glob, _ in self._globs if not set(glob) & set("/*?")}

    def match(self, path: str, document: Document | None = None) -> Template | None:
        """Return the template of a file by its name, in the language of its headings; None if it is not a memory file.

        `path` is a POSIX path; its last parts are matched, so the folder that it is relative to hardly matters. If two
        patterns match, the longer one counts.
        """
        kind = self.kind(path)
        if not kind:
            return None
        return self._chosen(kind, tuple(section.title for section in document.sections) if document else ())

    def _language(self, kind: str, titles: Sequence[str]) -> Template:
        """Choose by the headings: most canonical names, then most known names, then the script.

        Each language has the other's names as aliases, so aliases alone do not determine the language.
        """
        by_script = ("zh" if has_chinese("".join(titles)) else "en") if titles else self.lang

        def fits(template: Template) -> tuple[int, int, bool, bool]:
            known = [(title, name) for title in titles if (name := template.name(title))]
            exact = sum(fold(title) == fold(name) for title, name in known)
            return exact, len(known), template.lang == by_script, template.lang == self.lang

        return max(self.languages(kind).values(), key=fits)


def _fits(glob: str, path: str) -> bool:
    """Return whether a glob matches the last parts of a path; its literal parts are checked first, which is cheaper."""
    *pieces, tail = _pieces(glob)
    return path.endswith(tail) and all(piece in path for piece in pieces) and _regex(glob).search(path) is not None


@cache
def _pieces(glob: str) -> list[str]:
    return glob.replace("**/", "*").replace("?", "*").split("*")


@cache
def _regex(glob: str) -> Pattern:
    """Return a glob as a pattern of the last parts: `*` and `?` match inside one part, `**/` any number of parts."""
    globs = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    out = "".join(globs.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/|\*|\?)", glob))
    return pattern(without_backtracking(rf"(?:^|/){out}\Z"))
