"""The YAML block at the top of a file: its span and its values."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

if TYPE_CHECKING:
    from mdmem.text.yaml.yaml_source import Node, Plain, YamlProblem

_OPEN = pattern(r"\ufeff?---[ \t]*(?:\r\n|\r|\n)(?![ \t]*[\r\n])")
_LINE = pattern(r"(?:^|(?<=\r))([\w-]{1,60})[ \t]*:[ \t]+(\S[^\r\n]*)", re.MULTILINE)
_CLOSE = pattern(r"^(?:---|\.\.\.)[ \t]*(?:\r\n|\r|\n|\Z)", re.MULTILINE)


class FrontMatter:
    """A file's front matter; the YAML is parsed on first use."""

    def __init__(self, text: str, yaml: Span, end: int, start: int) -> None:
        self.span = Span(start, end)  # with both fences
        self.yaml = yaml  # between them
        self._text = text

    @cached_property
    def _read(self) -> tuple[Node | None, tuple[YamlProblem, ...]]:
        from mdmem.text.yaml.yaml_source import (
            read_yaml,  # PyYAML is a tenth of a start-up; most memory files have no front matter
        )

        return read_yaml(self.yaml.of(self._text), self.yaml.start)

    @property
    def root(self) -> Node | None:
        """The mapping; None if it is empty, broken or dangerous."""
        return self._read[0]

    @property
    def problems(self) -> tuple[YamlProblem, ...]:
        """The problems of the YAML."""
        return self._read[1]

    @property
    def values(self) -> dict[str, Plain]:
        """The keys and values as Python types; for broken YAML, the lines `key: value`; empty without a mapping."""
        if self._is_broken:
            return {key: node.plain() for key, node in self._lines.items()}
        plain = self.root.plain() if self.root else None
        return plain if isinstance(plain, dict) else {}

    @property
    def _is_broken(self) -> bool:
        """Return True if YAML cannot read it, and nothing in it is dangerous."""
        return bool(self.problems) and all(problem.kind == "broken" for problem in self.problems)

    @cached_property
    def _lines(self) -> dict[str, Node]:
        """Read each unindented line `key: value` as text; the first one of a key counts."""
        from mdmem.text.yaml.yaml_source import Node

        found: dict[str, Node] = {}
        for match in _LINE.finditer(self.yaml.of(self._text)):
            key, value = (Span(self.yaml.start + match.start(at), self.yaml.start + match.end(at)) for at in (1, 2))
            found.setdefault(match[1], Node(match[2].strip().strip("\"'"), value, key))
        return found

    def node(self, key: str) -> Node | None:
        """Return a key's value with its span."""
        if self._is_broken:
            return self._lines.get(key)
        members = self.root.value if self.root else None
        return members.get(key) if isinstance(members, dict) else None


def find(text: str) -> FrontMatter | None:
    """Find the front matter: a `---` line at the beginning, closed by `---` or `...`; without an end it is body.

    A `---` before an empty line is a thematic break of Markdown, as in pandoc.
    """
    opening = _OPEN.match(text) if text.startswith(("---", "\ufeff---")) else None
    if not opening:
        return None
    # ^ matches only after \n, so a bare \r is replaced first
    body = text if "\r" not in text else re.sub(r"\r(?!\n)", "\n", text)
    closing = _CLOSE.search(body, opening.end())
    if not closing:
        return None
    start = 1 if text.startswith("\ufeff") else 0
    return FrontMatter(text, Span(opening.end(), closing.start()), closing.end(), start)
