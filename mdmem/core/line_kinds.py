"""What each line of a document is: an entry, a heading, code, HTML, front matter or plain text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mdmem.core.document import Document

_ENTRY, _MORE, _HEADING, _CODE, _HTML, _FRONT = 1, 2, 4, 8, 16, 32
_NAMES = {
    _FRONT: "front matter", _HTML: "HTML", _CODE: "code", _HEADING: "a heading", _ENTRY: "an entry",
    _MORE: "part of an entry",
}  # fmt: skip
_BLOCKS = {"fence": _CODE, "code": _CODE, "html": _HTML, "heading": _HEADING}


class LineKinds:
    """The kinds of a document's lines, as bits, and the depth of the entry that begins at each."""

    def __init__(self, document: Document) -> None:
        # one line more than there are: behind a final line ending begins a line that is nothing yet
        self.kinds = [0] * (len(document.lines) + 1)  # several bits: an item may begin with code
        self.blocks = [-1] * len(self.kinds)  # which block makes a line code, HTML or front matter
        self.depths = [0] * len(self.kinds)  # of the entry that begins there
        for entry in document.entries:
            self._mark(_MORE, entry.line + 1, document.lines.at(entry.text_span.end))
            self._mark(_ENTRY, entry.line, entry.line)
            self.depths[entry.line] = entry.depth
        for index, block in enumerate(document.blocks):
            if kind := _BLOCKS.get(block.kind, 0):
                self._mark(kind, block.line, block.last_line, index)
        for section in document.sections:
            line = document.lines.at(section.heading.start)
            self._mark(_HEADING, line, line)
        if document.front_matter:
            self._mark(_FRONT, 0, document.lines.at(document.front_matter.yaml.end), len(document.blocks))

    def _mark(self, kind: int, first: int, last: int, block: int = -1) -> None:
        for line in range(first, last + 1):
            self.kinds[line] |= kind
            self.blocks[line] = block


def name_kinds(kinds: int) -> str:
    """Name the kind of a line; of several the one that decides."""
    return next((name for bit, name in _NAMES.items() if kinds & bit), "text")
