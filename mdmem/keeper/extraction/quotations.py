"""Take quotations out of a turn: what they say is said by somebody else, or written for somebody else.

Each becomes one mark, so that the words around it are read without it. A name or a word that is only mentioned, «my
dog is called "Rex"», is put back for a statement; a rule is put back word for word.
"""

from __future__ import annotations

import re

from mdmem.text.pattern import pattern

_QUOTATION = pattern(
    r"“[^“”]*”|「[^「」]*」|『[^『』]*』|«[^«»]*»"
    r"|(?<![A-Za-z0-9])\"(?=\S)[^\"]*(?<=\S)\""
    r"|(?<![A-Za-z0-9])‘[^‘\n]*?’(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])'(?=[^\W_])(?:[^'\n]|(?<=\w)'(?=\w))*'(?![A-Za-z0-9])"
    r"|^[ \t]*>.*$",
    re.MULTILINE,
)
_MARK = pattern("[\ue000-\uf8ff]")  # characters that no text uses
_FIRST_MARK, _MOST = 0xE000, 6400
_ENDS = ".!?。！？"
_NOT_NAMED = pattern(r"[,.;:!?\n，。；：！？](?!\w)|[，。；：！？]|(?i:\b(?:i|we|my|our|me|us)\b)|我|咱")
_WORD = pattern(r"[A-Za-z0-9]\S*|[\u3400-\u9fff]{1,2}")
_NAME_WORDS = 6


class Quotations:
    """The text of a turn with marks for its quotations."""

    def __init__(self, text: str) -> None:
        self._quoted: list[str] = []
        self._names: dict[str, str] = {}  # what is put back for a statement, by its mark
        self.text = _QUOTATION.sub(self._marked, _MARK.sub(" ", text))

    def _marked(self, found: re.Match[str]) -> str:
        quoted, text = found.group(), found.string
        if len(self._quoted) >= _MOST:
            return " "
        mark = chr(_FIRST_MARK + len(self._quoted))
        self._quoted.append(quoted)
        inner = quoted[1:-1]
        if _is_name(inner, text[max(0, found.start() - 2) : found.start()].strip()[-1:]):
            self._names[mark] = quoted if quoted[0] == "'" else inner
        is_last = inner[-1:] in _ENDS and not text[found.end() : found.end() + 1].strip()
        return f"{mark}{inner[-1:]}" if is_last else mark

    def has_speech(self, text: str) -> bool:
        """Return whether a text holds a quotation that is more than a name."""
        return any(mark not in self._names for mark in _MARK.findall(text))

    def named(self, text: str) -> str:
        """Return a text with the names that it mentions; the marks of other quotations stay."""
        return _MARK.sub(lambda found: self._names.get(found.group(), found.group()), text)

    def whole(self, text: str) -> str:
        """Return a text word for word."""
        for mark in _MARK.findall(text):
            quoted = self._quoted[ord(mark) - _FIRST_MARK]
            ended = f"{mark}{quoted[-2:-1]}"
            text = text.replace(ended if quoted[-2:-1] in _ENDS and ended in text else mark, quoted)
        return text


def _is_name(inner: str, before: str) -> bool:
    """Return whether a quotation is only a name or a word: it is short, states nothing, and a word stands before it."""
    return before.isalnum() and _NOT_NAMED.search(inner) is None and 0 < len(_WORD.findall(inner)) <= _NAME_WORDS
