"""The files of one subject: where one is full, the next one takes the new lines, and all are read as one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mdmem.facts.edits import FactFile, line_edits, write_line
from mdmem.facts.model import NewFact
from mdmem.facts.update import FactVerdict, SaidAt
from mdmem.formats.fact_words import FactWords
from mdmem.store.transaction import Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits

_MARKS = 96  # bytes that a line gains at most when it is superseded or confirmed, with its bullet and its end


class FactPart(NamedTuple):
    """One of the files of a subject."""

    path: str
    document: Document | None  # None for a file that does not exist yet


# from a part and the full ones before it to its facts
OpenPart = Callable[[FactPart, Sequence[FactPart]], FactFile]


class SubjectFacts:
    """The facts of one subject, changed statement by statement.

    New lines go to the last file. A line of an earlier file that changes moves to the last one, so that a full file
    only becomes smaller.
    """

    def __init__(
        self, parts: Sequence[FactPart], further: Iterator[str], open_part: OpenPart, most: int, words: FactWords
    ) -> None:
        """Bind to the files of a subject.

        Args:
            parts: the files, the last one that takes new lines.
            further: the paths of further ones.
            open_part: reads a file.
            most: the most bytes of a file.
            words: the words of facts.
        """
        self._given = {part.path: part.document for part in parts}
        self._full, self._last = list(parts[:-1]), parts[-1]
        self._further, self._open, self._most, self._words = further, open_part, most, words
        self._file = open_part(self._last, self._full)
        self._size, self._is_new = _size(self._last.document), self._last.document is None

    @property
    def path(self) -> str:
        """Return the path of the file that takes new lines."""
        return self._last.path

    def decide(self, item: NewFact, today: str, said_at: SaidAt) -> FactVerdict:
        """Decide about a statement."""
        return self._file.decide(item, today, said_at)

    def apply(self, item: NewFact, verdict: FactVerdict, decide: Callable[[], FactVerdict]) -> str:
        """Carry out a decision, in the next file if the last one is full; `decide` decides again there."""
        line = write_line(item, item.text, self._words, "en").encode("utf-8", "surrogateescape")
        grows = len(line) + _MARKS * (1 + len(verdict.lines))
        grows += sum(len(one.text.encode("utf-8", "surrogateescape")) for one in verdict.lines)
        if self._size + grows > self._most and not self._is_new:
            self._go_on()
            verdict = decide()
        self._size, self._is_new = self._size + grows, False
        return self._file.apply(item, item.text, verdict)

    def _go_on(self) -> None:
        """Take the next file for what follows."""
        self._full = [*self._made()]
        self._last = FactPart(next(self._further), None)
        self._given[self._last.path] = None
        self._file = self._open(self._last, self._full)
        self._size, self._is_new = 0, True

    def _made(self) -> Iterator[FactPart]:
        """Yield the files as they are by now."""
        for part, edits in zip(self._full, self._file.removed(), strict=True):
            yield _edited(part, edits)
        yield _edited(self._last, self._file.edits())

    def edits(self) -> Edits:
        """Return the edits of each file that changes."""
        found: dict[str, Sequence[Edit] | None] = {}
        for path, document in self._made():
            given = self._given[path]
            old, new = given.text if given else "", document.text if document else ""
            if old != new:
                found[path] = line_edits(old, new)
        return found


def _edited(part: FactPart, edits: Sequence[Edit]) -> FactPart:
    if not edits:
        return part
    text = apply_edits(part.document.text if part.document else "", edits)
    return part._replace(document=parse(text.encode("utf-8", "surrogateescape")))


def _size(document: Document | None) -> int:
    return len(document.to_bytes()) if document else 0
