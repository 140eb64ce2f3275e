"""Text in memory files that is not memory: placeholders, template lines, footers, notes by generators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mdmem.formats.placeholders import is_bracketed, is_placeholder
from mdmem.formats.template import Template, fold
from mdmem.search.index.piece import visible
from mdmem.text.entry import plain
from mdmem.text.pattern import pattern

_FOOTER = pattern(r"\n(?:-{3,}|\*{3,}|_{3,})[ \t]*\s*\n\s*([*_])(?![\s*_])[^\n]*\1\s*\Z")
_FOOTER_CHARS = 1_000  # characters at the end of a file in which a footer is searched
_MARKER = pattern(r"(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_ASIDE = (">", "*", "_")  # beginnings of a line about the file itself: quoted or in italics
_ASIDE_CHARS = 300


class Ignored(NamedTuple):
    """The non-memory text in files of a kind."""

    lines: frozenset[str] = frozenset()  # of its templates in all languages, without list markers
    footer: bool = False  # its templates end with a line in italics below a rule
    generated: tuple[str, ...] = ()  # phrases by which a generator refers to the file
    fields: frozenset[str] = frozenset()  # keys of fields that are metadata of an entry, not searchable text
    sections: frozenset[str] = frozenset()  # folded titles of generated sections
    marks: tuple[str, ...] = ()  # markers appended to entries by rule, as `← current`

    def words(self, text: str) -> str:
        """Return the searchable text of an entry or a paragraph."""
        shown = plain(text, self.fields)
        for mark in self.marks:
            shown = shown.replace(mark, "")
        return shown

    def is_memory(self, text: str, *, is_entry: bool, is_alone: bool) -> bool:
        """Return False for a placeholder, a template line, a generator's note; `is_alone`: no entries beside it."""
        if is_placeholder(text) or (is_alone and not is_entry and is_bracketed(text)):
            return False
        if not is_entry and self._is_generated(text):
            return False
        return not self.lines or any(_bare(line) not in self.lines for line in text.splitlines())

    def _is_generated(self, text: str) -> bool:
        if not text.startswith(_ASIDE) or len(text) > _ASIDE_CHARS:
            return False
        folded = text.casefold()
        return any(words in folded for words in self.generated)


def ignored(
    templates: Iterable[Template], generated: Iterable[str] = (), fields: frozenset[str] = frozenset()
) -> Ignored:
    """Return the non-memory text in files of these templates; comments are never indexed."""
    texts, sections, marks = list[str](), set[str](), list[str]()
    for template in templates:
        texts.append(visible(template.text))
        names = {template.name(title) for title in template.parts.get("generated", ())}
        sections |= {fold(spec.name) for spec in template.sections if spec.name in names}
        sections |= {alias for alias, name in template.aliases.items() if name in names}
        marks += template.parts.get("current", ())
    lines = frozenset(bare for text in texts for line in text.splitlines() if (bare := _bare(line)))
    footer = any(footer_start(text) < len(text) for text in texts)
    words = tuple(word.casefold() for word in generated)
    return Ignored(lines, footer, words, fields, frozenset(sections), tuple(dict.fromkeys(marks)))


def footer_start(text: str) -> int:
    """Return the offset of a file's footer, a line in italics below a rule; without one, the length of the text."""
    match = _FOOTER.search(text, max(0, len(text) - _FOOTER_CHARS))
    return match.start() if match else len(text)


def _bare(line: str) -> str:
    line = line.strip()
    return line[match.end() :] if (match := _MARKER.match(line)) else line
