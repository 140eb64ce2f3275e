"""Read a text in traditional characters as one in simplified ones, and write what was read in its own characters."""

from __future__ import annotations

from mdmem.search.words.simplified import SIMPLER


class ScriptedText:
    """A text, and the same with simplified characters, which has as many."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.simple = text.translate(SIMPLER)

    @property
    def is_traditional(self) -> bool:
        """Return whether the text has a traditional character."""
        return self.simple != self._text

    def restored(self, said: str) -> str:
        """Return words that were read from the simplified text in the characters in which they were written.

        What does not stand in the text stays as it is, and so does a single character that was written in two ways.
        """
        out, at = "", 0
        while at < len(said):
            size = self._longest(said, at)
            if size:
                start = self.simple.index(said[at : at + size])
                out += self._text[start : start + size]
            else:
                out += said[at]
            at += size or 1
        return out

    def _longest(self, said: str, at: int) -> int:
        """Return how many of the characters from an offset stand together in the simplified text."""
        size = 0
        while at + size < len(said) and said[at : at + size + 1] in self.simple:
            size += 1
        if size == 1:
            pairs = zip(self.simple, self._text, strict=True)
            written = {own for simple, own in pairs if simple == said[at]}
            return size if len(written) == 1 else 0
        return size
