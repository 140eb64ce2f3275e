"""Tombstones: recognize forgotten texts when they come back, without storing them in readable form.

`archive/forgotten.md` has a line for each: a date, and a field with the salt, a slow digest of the text, its number of
words, and eight bits of a fast digest, so that few parts of a new text need the slow one (law 12).
"""

from __future__ import annotations

import hashlib
import os
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property, partial
from hashlib import blake2b
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
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
# most different pieces of a text that are compared, quickly and slowly, and most words of them: some 4 seconds
_PIECES, _DIGESTS, _WORDS = 300_000, 80, 5_000_000
_NAME = 4  # words of a text that is sought everywhere in a text of any length
_JOINT = "\x1f"  # of words
_PART = 1 << 20  # characters of a long text that are compared at a time


class Stone(NamedTuple):
    """One forgotten text."""

    salt: str
    digest: str
    day: str
    words: int = 0  # 0 in lines of older versions: they match only a whole text
    bits: str = ""


class _Budget:
    """How many pieces of a text may still be compared, quickly and slowly, and how many words they may have."""

    def __init__(self, at_cuts: _Budget | None = None) -> None:
        self.pieces, self.digests, self.words, self.at_cuts = _PIECES, _DIGESTS, _WORDS, at_cuts

    def allows(self, words: int) -> bool:
        """Return whether pieces of so many words may be looked at, and count them."""
        is_allowed = words <= self.words
        self.words -= words if is_allowed else 0
        return is_allowed


class Tombstones:
    """The tombstones of one workspace. They usually share one salt, so that a text is digested once."""

    def __init__(self, *documents: Document | None) -> None:
        self._stones = tuple(dict.fromkeys(stone for one in documents if one for stone in _read(one)))
        self._digests: dict[tuple[str, str], str] = {}  # cache: a digest is slow

    def __bool__(self) -> bool:
        """Return True if anything was forgotten."""
        return bool(self._stones)

    def beyond(self, others: Tombstones) -> Tombstones:
        """Return those tombstones that are not among others."""
        made = Tombstones()
        made._stones = tuple(stone for stone in self._stones if stone not in others._stones)
        return made

    def holds(self, text: str) -> bool:
        """Return True if a text contains a forgotten text."""
        return bool(self.among([text]))

    def among(self, texts: Sequence[str], only: Collection[Stone] | None = None) -> frozenset[Stone]:
        """Return the tombstones that match in these texts; with `only`, among those."""
        stones = self._stones if only is None else tuple(only)
        most = _Budget(_Budget())
        return frozenset(stone for text in texts for _, stone in self._find(text, stones, most))

    def strike(self, text: str, sign: str) -> str:
        """Return a text with every forgotten text replaced by `sign`; a very long one is compared in part only."""
        most = _Budget(_Budget())
        return "".join(self._struck(part, sign, most) for part in _parts(text)) if self._stones else text

    def _struck(self, text: str, sign: str, most: _Budget) -> str:
        out, done = [], 0
        for span in sorted(span for span, _ in self._find(text, self._stones, most)):
            if span.start >= done:
                out += [text[done : span.start], sign]
            done = max(done, span.end)
        return "".join(out) + text[done:]

    def _find(self, text: str, stones: Collection[Stone], most: _Budget) -> Iterator[tuple[Span, Stone]]:
        """Yield the matches; where there is too much to compare, only those between the ends of clauses."""
        for stone in stones:
            if not stone.words and text.strip() and self._digest(stone.salt, comparison_key(text)) == stone.digest:
                yield Span(0, len(text)), stone
        read = _FoldedText(text)
        # the shortest first: they are what was asked to be forgotten, and few of them need to be compared
        for length, salt in sorted({(stone.words, stone.salt) for stone in stones if stone.words}):
            own = [stone for stone in stones if (stone.words, stone.salt) == (length, salt)]
            begins: Iterable[int] = range(len(read.words) - length + 1)
            everywhere = length <= _NAME or most.allows(length * len(read.words))
            found = self._matching(own, read.pieces(length), most) if everywhere else None
            if found is None and most.at_cuts:
                begins = [begin for begin in read.cuts if begin + length in read.cuts]
                found = self._matching(own, {read.piece(begin, length) for begin in begins}, most.at_cuts)
            for begin in begins if found else ():
                for stone in (found or {}).get(read.piece(begin, length), ()):
                    yield Span(read.spans[begin].start, read.spans[begin + length - 1].end), stone

    def _matching(self, own: Sequence[Stone], pieces: Collection[str], most: _Budget) -> dict[str, list[Stone]] | None:
        """Return those of the pieces that were forgotten, with their tombstones; None if it takes too long.

        The tombstones in `own` have one salt and one number of words.
        """
        if len(pieces) > most.pieces:
            return None
        most.pieces -= len(pieces)
        salt, bits = own[0].salt, {stone.bits for stone in own}
        alike = [piece for piece in pieces if _fast(salt, piece) in bits]
        new = sum((salt, piece) not in self._digests for piece in alike)
        if new > most.digests:
            return None
        most.digests -= new
        digests = {piece: self._digest(salt, piece) for piece in alike}
        found = {piece: [stone for stone in own if stone.digest == one] for piece, one in digests.items()}
        return {piece: stones for piece, stones in found.items() if stones}

    def lines(self, texts: Iterable[str], day: str) -> list[str]:
        """Return the lines that mark these texts as forgotten, without duplicates and those already marked."""
        salt = self._stones[0].salt if self._stones else os.urandom(16).hex()
        digests, out = {stone.digest for stone in self._stones}, []
        for text in texts:
            words = _FoldedText(text).words
            joined = _JOINT.join(words) or comparison_key(text)
            if (digest := self._digest(salt, joined)) not in digests:
                digests.add(digest)
                more = f":{len(words)}.{_fast(salt, joined)}" if words else ""
                out.append(f"- {day} [{_FIELD}:: {salt}:{digest}{more}]")
        return out

    def _digest(self, salt: str, text: str) -> str:
        key = salt, text
        if key not in self._digests:
            data = text.encode("utf-8", "surrogateescape")
            self._digests[key] = slow_digest(salt, data, _COST)
        return self._digests[key]


def tombstones(config: WorkspaceConfig) -> Tombstones:
    """Read the tombstones that bind a user: those for everybody, and the user's own; raises UnreadableFileError."""
    with Root(config.root) as opened:
        return Tombstones(*(_document(opened, path) for path in dict.fromkeys((PATH, config.whose.place(PATH)))))


def _document(root: Root, path: str) -> Document | None:
    try:
        found = read(root.place(path))
    except FileNotFoundError:
        return None
    return parse(found.data) if found else None


def _read(document: Document) -> Iterator[Stone]:
    """Yield the tombstones in a document."""
    for entry in document.entries:
        field = entry.parts.field(_FIELD)
        if match := _VALUE.fullmatch(field.value) if field else None:
            day = entry.parts.date.text if entry.parts.date else ""
            yield Stone(match[1], match[2], day, int(match[3] or 0), match[4] or "")


def slow_digest(salt: str, data: bytes, cost: int) -> str:
    """Return a digest that is slow to guess from; `cost` is scrypt's N."""
    return hashlib.scrypt(data, salt=bytes.fromhex(salt), n=cost, r=_BLOCK, p=_LANES, dklen=16).hex()


def fast_digest(salt: str, data: bytes, size: int = 1) -> str:
    """Return a keyed digest of so many bytes, which excludes most texts before the slow one is computed."""
    return blake2b(data, digest_size=size, key=bytes.fromhex(salt)[:64]).hexdigest()


def _fast(salt: str, text: str) -> str:
    return fast_digest(salt, text.encode("utf-8", "surrogateescape"))


class _FoldedText:
    """A text as words; what only a match needs is computed for one."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._folds = {char: _folded(char) for char in (() if text.isascii() else set(text))}
        folded = "".join(map(self._folds.__getitem__, text)) if self._folds else text.lower()
        self._matches = partial(_WORD.finditer, folded)
        self.words: list[str] = _WORD.findall(folded)

    def piece(self, begin: int, length: int) -> str:
        """Return so many words, joined."""
        return _JOINT.join(self.words[begin : begin + length])

    def pieces(self, length: int) -> Collection[str]:
        """Return the different pieces of so many words."""
        return set(map(_JOINT.join, set(zip(*(self.words[begin:] for begin in range(length)), strict=False))))

    @cached_property
    def spans(self) -> list[Span]:
        """The spans of the words in the text; characters are folded one by one to keep their offsets."""
        places: Sequence[int] = range(len(self._text))
        if any(len(folded) != 1 for folded in self._folds.values()):
            places = [at for at, char in enumerate(self._text) for _ in self._folds[char]]
        return [Span(places[match.start()], places[match.end() - 1] + 1) for match in self._matches()]

    @cached_property
    def cuts(self) -> frozenset[int]:
        """The indexes of the words that begin a clause, and the number of words."""
        starts = [span.start for span in self.spans]
        inner = {bisect_right(starts, match.start()) for match in _CUT.finditer(self._text)}
        return frozenset((0, len(starts), *inner))


def _parts(text: str) -> Iterator[str]:
    """Split a long text at the ends of lines."""
    begin = 0
    while begin < len(text):
        end = begin + _PART
        end = text.rfind("\n", begin, end) + 1 or end if end < len(text) else len(text)
        yield text[begin:end]
        begin = end


def _folded(char: str) -> str:
    if char.isascii():
        return char.lower()
    return "".join(
        one for one in unicodedata.normalize("NFKD", char).casefold() if unicodedata.category(one) not in ("Mn", "Cf")
    )
