"""Tombstones: recognize forgotten texts when they come back, without storing them in readable form.

`archive/forgotten.md` has a line for each: a date, and a field with the salt, a slow digest of the text, its number of
words, and eight bits of a fast digest, so that few parts of a new text need the slow one (law 12).
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from mdmem.store.root import Root, read
from mdmem.text.document import Document, parse
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span

PATH = "archive/forgotten.md"
STRUCK = "…"  # replaces forgotten text
_FIELD = "forgotten"
# RFC 7914's parameters for interactive use: 16 MB and some 50 ms a digest.
_COST, _BLOCK, _LANES = 1 << 14, 8, 1
_WORD = pattern(r"[a-zß-ԯ]+|\d+|[^\W\d_]")  # a word, a number, a single character of other scripts
_CUT = pattern(r"[\r\n.,:;!?|。，：；！？、｜…]")  # ends a clause
_VALUE = pattern(r"((?:[0-9a-f]{2})+):([0-9a-f]+)(?::(\d{1,6})\.([0-9a-f]{2}))?")
_PIECES = 20_000  # comparisons; longer texts are compared only clause by clause: some 80 slow digests at most


Cuts = Callable[[str, Sequence["Word"]], Collection[int]]  # the word boundaries at which a match may begin and end


class Stone(NamedTuple):
    """One forgotten text."""

    salt: str
    digest: str
    day: str
    words: int = 0  # 0 in lines of older versions: they match only a whole text
    bits: str = ""


class Word(NamedTuple):
    """A word of a text, folded, and its span."""

    text: str
    span: Span


class Tombstones:
    """The tombstones of one workspace. They usually share one salt, so that a text is digested once."""

    def __init__(self, document: Document | None) -> None:
        self._stones = tuple(_read(document)) if document else ()
        self._digests: dict[tuple[str, str], str] = {}  # cache: a digest is slow

    def __bool__(self) -> bool:
        """Return True if anything was forgotten."""
        return bool(self._stones)

    def holds(self, text: str) -> bool:
        """Return True if a text contains a forgotten text."""
        return bool(self.among([text]))

    def among(self, texts: Sequence[str], only: Collection[Stone] | None = None) -> frozenset[Stone]:
        """Return the tombstones that match in these texts; with `only`, among those."""
        stones = self._stones if only is None else tuple(only)
        taken = [_words(text) for text in texts] if stones else []
        whole = sum(map(len, taken)) * len({stone.words for stone in stones}) <= _PIECES
        pairs = zip(texts, taken, strict=False)
        return frozenset(
            stone for text, words in pairs for _, stone in self._find(text, words, stones, None if whole else _cuts)
        )

    def strike(self, text: str, sign: str) -> str:
        """Return a text with every forgotten text replaced by `sign`."""
        words = _words(text) if self._stones else []
        cuts = _cuts if len(words) * len({stone.words for stone in self._stones}) > _PIECES else None
        out, done = [], 0
        for span in sorted(span for span, _ in self._find(text, words, self._stones, cuts)):
            if span.start >= done:
                out += [text[done : span.start], sign]
            done = max(done, span.end)
        return "".join(out) + text[done:]

    def _find(
        self, text: str, words: Sequence[Word], stones: Collection[Stone], cuts: Cuts | None
    ) -> Iterator[tuple[Span, Stone]]:
        """Yield the matches, at all word boundaries or only at those that `cuts` returns."""
        for stone in stones:
            if not stone.words and text.strip() and self._digest(stone.salt, comparison_key(text)) == stone.digest:
                yield Span(0, len(text)), stone
        at = cuts(text, words) if cuts else range(len(words) + 1)
        sought = {(stone.salt, stone.words, stone.bits) for stone in stones if stone.words}
        for salt, length in dict.fromkeys((salt, length) for salt, length, _ in sought):
            for begin in range(len(words) - length + 1):
                if begin in at and begin + length in at:
                    joined = _joined(words[begin : begin + length])
                    if (salt, length, _fast(salt, joined)) in sought:
                        digest = self._digest(salt, joined)
                        span = Span(words[begin].span.start, words[begin + length - 1].span.end)
                        yield from ((span, stone) for stone in stones if stone.digest == digest)

    def lines(self, texts: Iterable[str], day: str) -> list[str]:
        """Return the lines that mark these texts as forgotten, without duplicates and those already marked."""
        salt = self._stones[0].salt if self._stones else os.urandom(16).hex()
        digests, out = {stone.digest for stone in self._stones}, []
        for text in texts:
            words = _words(text)
            joined = _joined(words) or comparison_key(text)
            if (digest := self._digest(salt, joined)) not in digests:
                digests.add(digest)
                more = f":{len(words)}.{_fast(salt, joined)}" if words else ""
                out.append(f"- {day} [{_FIELD}:: {salt}:{digest}{more}]")
        return out

    def _digest(self, salt: str, text: str) -> str:
        key = salt, text
        if key not in self._digests:
            data = text.encode("utf-8", "surrogateescape")
            self._digests[key] = slow_digest(salt, data)
        return self._digests[key]


def tombstones(root: str) -> Tombstones:
    """Read the tombstones of a workspace; raises UnreadableFileError."""
    with Root(root) as opened:
        try:
            found = read(opened.place(PATH))
        except FileNotFoundError:
            found = None
    return Tombstones(parse(found.data) if found else None)


def _read(document: Document) -> Iterator[Stone]:
    """Yield the tombstones in a document."""
    for entry in document.entries:
        field = entry.parts.field(_FIELD)
        if match := _VALUE.fullmatch(field.value) if field else None:
            day = entry.parts.date.text if entry.parts.date else ""
            yield Stone(match[1], match[2], day, int(match[3] or 0), match[4] or "")


def slow_digest(salt: str, data: bytes, cost: int = _COST) -> str:
    """Return a digest that is slow to guess from; `cost` is scrypt's N."""
    return hashlib.scrypt(data, salt=bytes.fromhex(salt), n=cost, r=_BLOCK, p=_LANES, dklen=16).hex()


def fast_digest(salt: str, data: bytes, size: int = 1) -> str:
    """Return a keyed digest of so many bytes, which excludes most texts before the slow one is computed."""
    return blake2b(data, digest_size=size, key=bytes.fromhex(salt)[:64]).hexdigest()


def _fast(salt: str, text: str) -> str:
    return fast_digest(salt, text.encode("utf-8", "surrogateescape"))


def _joined(words: Sequence[Word]) -> str:
    return "\x1f".join(word.text for word in words)


def _words(text: str) -> list[Word]:
    """Split a text into words; characters are folded one by one to keep their offsets."""
    if text.isascii():
        return [Word(match.group(), Span(*match.span())) for match in _WORD.finditer(text.lower())]
    pieces = [_folded(char) for char in text]
    places = [at for at, piece in enumerate(pieces) for _ in piece]
    found = _WORD.finditer("".join(pieces))
    return [Word(match.group(), Span(places[match.start()], places[match.end() - 1] + 1)) for match in found]


def _folded(char: str) -> str:
    if char.isascii():
        return char.lower()
    return "".join(
        one for one in unicodedata.normalize("NFKD", char).casefold() if unicodedata.category(one) not in ("Mn", "Cf")
    )


def _cuts(text: str, words: Sequence[Word]) -> frozenset[int]:
    """Return the indexes of the words that begin a clause, and the number of words."""
    starts = [word.span.start for word in words]
    inner = {bisect_right(starts, match.start()) for match in _CUT.finditer(text)}
    return frozenset((0, len(words), *inner))
