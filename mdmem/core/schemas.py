"""The templates of a workspace, and which of them a file is held to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from mdmem.core.document import Document
from mdmem.core.template import Template, fold

_HAN = re.compile(r"[\u3400-\u9fff]")


class Schemas:
    """All kinds in all languages; a later template replaces an earlier one of its kind and language.

    One of no language serves every language, so it replaces all that came before it.
    """

    def __init__(self, templates: Iterable[Template], lang: str) -> None:
        self.lang = lang
        self._by_kind: dict[str, dict[str, Template]] = {}
        for template in templates:
            if not template.lang:
                self._by_kind[template.kind] = {}
            self._by_kind.setdefault(template.kind, {})[template.lang] = template
        patterns = {
            pattern: kind
            for kind, languages in self._by_kind.items()
            for template in languages.values()
            for pattern in template.files
        }
        longest_first = sorted(patterns.items(), key=lambda item: -len(item[0]))
        self._patterns = [(_regex(pattern), kind) for pattern, kind in longest_first]

    @property
    def kinds(self) -> Mapping[str, Mapping[str, Template]]:
        """Kind → language → template."""
        return self._by_kind

    def get(self, kind: str, lang: str | None = None) -> Template | None:
        """Give a kind's template in a language, else in the workspace's, else in any."""
        languages = self._by_kind.get(kind, {})
        return languages.get(lang or self.lang) or languages.get(self.lang) or next(iter(languages.values()), None)

    def match(self, path: str, document: Document | None = None) -> Template | None:
        """Find the template of a file by its name, in the language of its headings; None for no memory file.

        `path` is a POSIX path; its last parts decide, so that it matters little from where it is counted. Of two
        patterns that fit, the longer one wins.
        """
        kind = next((kind for regex, kind in self._patterns if regex.search(path)), None)
        if kind is None:
            return None
        titles = [section.title for section in document.sections] if document else []
        return self._language(self._by_kind[kind], titles)

    def _language(self, languages: Mapping[str, Template], titles: list[str]) -> Template:
        """Choose by the headings: most canonical names, then most names known at all, then the script they stand in.

        Each language knows the other's names as aliases, so aliases alone would not tell a file's language.
        """
        spoken = ("zh" if _HAN.search("".join(titles)) else "en") if titles else self.lang

        def fits(template: Template) -> tuple[int, int, bool, bool]:
            known = [(title, name) for title in titles if (name := template.name(title))]
            exact = sum(fold(title) == fold(name) for title, name in known)
            return exact, len(known), template.lang == spoken, template.lang == self.lang

        return max(languages.values(), key=fits)


def _regex(pattern: str) -> re.Pattern[str]:
    """Make a suffix match of a glob: `*` and `?` stay inside one part, `**/` stands for any number of parts."""
    globs = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}
    out = "".join(globs.get(piece) or re.escape(piece) for piece in re.split(r"(\*\*/|\*|\?)", pattern))
    return re.compile(rf"(?:^|/){out}\Z")
