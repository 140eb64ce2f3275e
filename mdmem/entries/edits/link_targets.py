"""Mends the links to a file that is renamed: `[[name]]`, `[[folder/name|words]]`, `[words](path)`, `[label]: path`, and
`file:path` of sources.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from urllib.parse import quote, unquote

from mdmem.text.document import Document
from mdmem.text.edit import Edit
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_WIKI = pattern(r"\[\[(?P<name>[^\[\]|#^\n]{1,400})(?=[\]|#^])")
_INLINE = pattern(r"\]\([ \t]{0,4}(?:<(?P<angled>[^<>\n]{1,1000})>|(?P<plain>[^\s()<>]{1,1000}))")
_LABEL = pattern(
    r"(?m)^ {0,3}\[[^\[\]\n]{1,200}\]:[ \t]{1,4}(?:<(?P<angled>[^<>\n]{1,1000})>|(?P<plain>[^\s<>]{1,1000}))"
)
_SOURCE = pattern(r"\bfile:(?P<path>[^\s#\[\](){}<>]{1,1000})")
_ENDING = ".md"
_CODE = ("fence", "code")


class Rename:
    """A file's old and new path, and whether its old name alone still says which file is meant."""

    def __init__(self, old: str, new: str, *, is_unique: bool) -> None:
        self.old, self.new, self.is_unique = old, new, is_unique

    def edits(self, document: Document, place: str) -> tuple[Edit, ...]:
        """Return the edits that mend the links to the file in a document, which is at a path; code is left alone."""
        text, found = document.text, list[Edit]()
        if not self._names(text):
            return ()
        blocks = [block.span for block in document.blocks if block.kind in _CODE]
        for span, written in self._links(text, posixpath.dirname(place)):
            line = text.rfind("\n", 0, span.start) + 1
            in_code = text.count("`", line, span.start) % 2 or any(one.start <= span.start < one.end for one in blocks)
            if not in_code and span.of(text) != written:
                found.append(Edit(span, written))
        return tuple(found)

    def _names(self, text: str) -> bool:
        """Return whether a text may name the file at all."""
        name = _bare(posixpath.basename(self.old)).casefold()
        folded = text.casefold()
        return name in folded or quote(name) in folded

    def _links(self, text: str, folder: str) -> Iterator[tuple[Span, str]]:
        """Yield each link to the file: the span of its target, and how the new one is written."""
        for match in _WIKI.finditer(text):
            name = match["name"]
            if written := self._wiki(name.strip()):
                start = match.start("name") + len(name) - len(name.lstrip())
                yield Span(start, start + len(name.strip())), written
        for shape in (_INLINE, _LABEL):
            for match in shape.finditer(text):
                group = "angled" if match["angled"] is not None else "plain"
                path = match[group].partition("#")[0]
                if written := self._relative(path, folder, is_quoted=group == "plain"):
                    start = match.start(group)
                    yield Span(start, start + len(path)), written
        for match in _SOURCE.finditer(text):
            if match["path"] == self.old:
                yield Span(*match.span("path")), self.new

    def _wiki(self, name: str) -> str:
        """Return the new name for a wiki link; empty if it is not one to the file, or stays right."""
        ending = _ENDING if name.endswith(_ENDING) else ""
        bare, old, new = _bare(name), _bare(self.old), _bare(self.new)
        if bare.casefold() == old.casefold():
            return (posixpath.basename(new) if "/" not in bare else new) + ending
        if "/" in bare or not self.is_unique or bare.casefold() != posixpath.basename(old).casefold():
            return ""
        return posixpath.basename(new) + ending

    def _relative(self, path: str, folder: str, *, is_quoted: bool) -> str:
        """Return the new path for a Markdown link; empty if it is not one to the file."""
        if not path or ":" in path:
            return ""
        plain = unquote(path)
        if posixpath.normpath(posixpath.join(folder, plain)) != self.old:
            return ""
        written = posixpath.relpath(self.new, folder or ".")
        return quote(written, safe="/!$&'*+,;=@~-._()") if is_quoted and " " in written else written


def _bare(path: str) -> str:
    return path.removesuffix(_ENDING)
