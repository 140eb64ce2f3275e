"""The templates of a workspace, and which of them a file is held to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property

from mdmem.core.document import Document
from mdmem.core.pattern import Pattern, pattern
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template, fold


class Offer(NamedTuple):
    """A template that is read when its kind is first asked for; until then its name and files are enough."""

    kind: str
    lang: str
    files: tuple[str, ...]
    read: Callable[[], Template]


class Schemas:
    """All kinds in all languages; a later template replaces an earlier one of its kind and language.

    One of no language serves every language, so it replaces all that came before it.
    """

    def __init__(self, templates: Iterable[Template | Offer], lang: str) -> None:
        self.lang = lang
        self._kinds: dict[str, str] = {}  # asked of the same paths again and again
        self._by_kind: dict[str, dict[str, Template | Offer]] = {}
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

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of all kinds."""
        return tuple(self._by_kind)

    def languages(self, kind: str) -> Mapping[str, Template]:
        """Give a kind's templates by language; none for a kind that nobody knows."""
        found = self._by_kind.get(kind, {})
        for lang, template in found.items():
            if isinstance(template, Offer):
                found[lang] = template.read()
        return {lang: template for lang, template in found.items() if isinstance(template, Template)}

    def get(self, kind: str, lang: str | None = None) -> Template | None:
        """Give a kind's template in a language, else in the workspace's, else in any."""
        languages = self.languages(kind)
        return languages.get(lang or self.lang) or languages.get(self.lang) or next(iter(languages.values()), None)

    @cached_property
    def fields(self) -> Mapping[str, str]:
        """The type of each field that a template declares, by its key: data about an entry.

        Any other field is its writer's text.
        """
        templates = (template for kind in self.kinds for template in self.languages(kind).values())
        rules = (rule for one in templates for rule in (one.entries, *(spec.entries for spec in one.sections)))
        return {key.casefold(): field.type for rule in rules for key, field in rule.fields.items()}

    def kind(self, path: str) -> str:
        """Name the kind of a file by its path; empty for no memory file. No template is read."""
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
        """Find the template of a file by its name, in the language of its headings; None for no memory file.

        `path` is a POSIX path; its last parts decide, so that it matters little from where it is counted. Of two
        patterns that fit, the longer one wins.
        """
        kind = self.kind(path)
        if not kind:
            return None
        titles = [section.title for section in document.sections] if document else []
        return self._language(self.languages(kind), titles)

    def _language(self, languages: Mapping[str, Template], titles: list[str]) -> Template:
        """Choose by the headings: most canonical names, then most names known at all, then the script they stand in.

        Each language knows the other's names as aliases, so aliases alone would not tell a file's language.
        """
        # a class of all Chinese characters would take a regular expression longer to compile than a file to lint
        spoken = (
            ("zh" if any("\u3400" <= char <= "\u9fff" for char in "".join(titles)) else "en") if titles else self.lang
        )

        def fits(template: Template) -> tuple[int, int, bool, bool]:
            known = [(title, name) for title in titles if (name := template.name(title))]
            exact = sum(fold(title) == fold(name) for title, name in known)
            return exact, len(known), template.lang == spoken, template.lang == self.lang

        return max(languages.values(), key=fits)


def _fits(glob: str, path: str) -> bool:
    """Tell whether the last parts of a path are what a glob says; what must be there is cheaper to look for first."""
    *pieces, tail = _pieces(glob)
    return path.endswith(tail) and all(piece in path for piece in pieces) and _regex(glob).search(path) is not None


@cache
def _pieces(glob: str) -> list[str]:
    return glob.replace("**/", "*").replace("?", "*").split("*")


@cache
def _regex(glob: str) -> Pattern:
    """Make a suffix match of a glob: `*` and `?` stay inside one part, `**/` stands for any number of parts."""
    globs = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    out = "".join(globs.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/|\*|\?)", glob))
    return pattern(rf"(?:^|/){out}\Z")
