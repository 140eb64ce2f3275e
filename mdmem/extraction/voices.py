"""Find the sentences that the user says of themselves; the others are part of a text, a story or a quotation.

Each quotation becomes one mark, so that the words around it are read without it. A name or a word that is only
mentioned, «my dog is called "Rex"», is put back for a statement; a rule is put back word for word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

from mdmem.extraction.clauses import Clauses
from mdmem.extraction.model import Reason
from mdmem.formats.sentences import Splitter
from mdmem.formats.session import Turn
from mdmem.text.pattern import pattern
from mdmem.wording.transcript import Sentence, sentences

_QUOTATION = pattern(
    r"“[^“”]*”|「[^「」]*」|『[^『』]*』|«[^«»]*»"
    r"|(?<![A-Za-z0-9])\"(?=\S)[^\"]*(?<=\S)\""
    r"|(?<![A-Za-z0-9])‘[^‘\n]*?’(?![A-Za-z0-9])"
    r"|(?<![A-Za-z0-9])'(?=[^\W_])(?:[^'\n]|(?<=\w)'(?=\w))*'(?![A-Za-z0-9])"
    r"|^[ \t]*>.*$",
    re.MULTILINE,
)
_MARK = pattern("[\ue000-\uf8ff]")  # characters that no text uses; compiled for a text with quotations
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
        self.text = _QUOTATION.sub(self._marked, _without_marks(text))

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
        return any(mark not in self._names for mark in self._marks(text))

    def _marks(self, text: str) -> list[str]:
        return _MARK.findall(text) if self._quoted else []

    def named(self, text: str) -> str:
        """Return a text with the names that it mentions; the marks of other quotations stay."""
        return _MARK.sub(lambda found: self._names.get(found.group(), found.group()), text) if self._names else text

    def whole(self, text: str) -> str:
        """Return a text word for word."""
        for mark in self._marks(text):
            quoted = self._quoted[ord(mark) - _FIRST_MARK]
            ended = f"{mark}{quoted[-2:-1]}"
            text = text.replace(ended if quoted[-2:-1] in _ENDS and ended in text else mark, quoted)
        return text


def _is_name(inner: str, before: str) -> bool:
    """Return whether a quotation is only a name or a word: it is short, states nothing, and a word stands before it."""
    return before.isalnum() and _NOT_NAMED.search(inner) is None and 0 < len(_WORD.findall(inner)) <= _NAME_WORDS


def _without_marks(text: str) -> str:
    return text if text.isascii() else _MARK.sub(" ", text)


class Voiced(NamedTuple):
    """One sentence with marks for its quotations, and why it is not the user's own, if it is not."""

    sentence: Sentence
    quotations: Quotations
    reason: Reason | None = None


def voiced(turn: Turn, splitter: Splitter, words: Clauses, most: int) -> Iterator[Voiced]:
    """Yield the sentences of a turn; what belongs to a text or a story behind one of them is left out.

    Args:
        turn: of the user.
        splitter: splits it into sentences.
        words: the words that begin a text or a story.
        most: characters of a sentence; a longer one is pasted text.
    """
    quotations = Quotations(turn.text)
    for one in sentences((replace(turn, text=quotations.text),), splitter):
        if not one.is_speech or len(one.text) > most:
            yield Voiced(one, quotations, "too-long" if one.is_speech else "plain")
            continue
        frame = words.frame(one.text)
        yield Voiced(one, quotations, frame)
        if frame and not quotations.has_speech(one.text):
            return  # without quotation marks nothing tells where the text ends


def own_sentences(turns: Iterable[Turn], splitter: Splitter, words: Clauses, most: int) -> Iterator[Sentence]:
    """Yield, word for word, what the user says of themselves in some turns, without sentences that quote speech."""
    for turn in turns:
        if turn.role == "user":
            for one, quotations, reason in voiced(turn, splitter, words, most):
                if reason in (None, "too-long") and not quotations.has_speech(one.text):
                    yield one._replace(text=quotations.whole(one.text))
