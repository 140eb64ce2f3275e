"""The templates of a workspace, and which of them a file is held to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from mdmem.core.document import Document
from mdmem.core.template import Template


class Schemas:
    """All kinds in all languages; a later template replaces an earlier one of its kind and language."""

    def __init__(self, templates: Iterable[Template], lang: str) -> None:
        self.lang = lang
        self._by_kind: dict[str, dict[str, Template]] = {}
        for template in templates:
            self._by_kind.setdefault(template.kind, {})[template.lang] = template

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
        best, kind = -1, ""
        for name, languages in self._by_kind.items():
            for template in languages.values():
                for pattern in template.files:
                    if len(pattern) > best and _regex(pattern).search(path):
                        best, kind = len(pattern), name
        return self._language(self._by_kind[kind], document) if best >= 0 else None

    def _language(self, languages: dict[str, Template], document: Document | None) -> Template:
        def fits(template: Template) -> tuple[int, bool]:
            titles = [section.title for section in document.sections] if document else []
            return sum(template.name(title) is not None for title in titles), template.lang == self.lang

        if len(languages) == 1 or document is None:
            return languages.get(self.lang) or next(iter(languages.values()))
        return max(languages.values(), key=fits)


@cache
def _regex(pattern: str) -> re.Pattern[str]:
    """Make a suffix match of a glob: `*` and `?` stay inside one part, `**/` stands for any number of parts."""
    out = ""
    for piece in re.split(r"(\*\*/|\*|\?|\[[^\]]*\])", pattern):
        out += {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]"}.get(piece) or (
            piece if piece.startswith("[") else re.escape(piece)
        )
    return re.compile(rf"(?:^|/){out}\Z")
