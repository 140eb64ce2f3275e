"""Decodes a text into views: as it is, as a person reads it, and with encoded runs decoded.

A secret or an instruction stays one when it is written in full-width letters, split by zero-width characters or encoded
in base64. Each view holds the text with such runs replaced, and only the parts around them, so that the context counts
too. Every view maps a match back to a span of the file.
"""

# `urllib.parse` and `html` are imported only for an escape: they take a tenth of a start-up.
from __future__ import annotations

import re
import unicodedata
from binascii import a2b_base64
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator
from functools import cached_property, lru_cache
from typing import Generic, NamedTuple, TypeVar

from mdmem.linter.views.hidden_characters import uncommon
from mdmem.text.pattern import Pattern, pattern
from mdmem.text.spans import Span

T = TypeVar("T")

_DEPTH = 2  # how deep encodings inside encodings are decoded
_AROUND = 200  # characters kept on both sides of a replaced run; matches of the rules are shorter
_WORDS_BEFORE = 64  # characters before a match that may be part of its pattern: `api_key = `
_RUN = 16  # length of the shortest run that is decoded or can be a key

# Characters that a reader does not see; deleted in the view of a person.
INVISIBLE = ("\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
             "\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff")  # fmt: skip
_SIGNS = "\u3000\uff02\uff03\uff05-\uff07\uff0b\uff0d-\uff0f\uff1c-\uff1e\uff20\uff3b-\uff3d\uff3f\uff40\uff5b-\uff5d"
_LETTERS = ("\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u00aa\u00b2\u00b3\u00b9\u00ba\u02b0-\u02b8\u2070-\u209c"
            "\u2100-\u214f\u249c-\u24e9\ufb00-\ufb06\U0001d400-\U0001d7ff\U0001f110-\U0001f189")  # fmt: skip
_MARKS = "\u0300-\u036f\u3099\u309a\u1100-\u11ff"  # marks of decomposed text
_CYRILLIC, _LATIN = "аеорсухіјѕһԁԛԝӏАВЕКМНОРСТХІЈЅοινΟΑΒΕΗΙΚΜΝΡΤΧ", "aeopcyxijshdqwlABEKMHOPCTXIJSoivOABEHIKMNPTX"
_ALIKE = str.maketrans(_CYRILLIC, _LATIN)
_ODD_CLASS = f"[{INVISIBLE}{_SIGNS}{_LETTERS}{_MARKS}{_CYRILLIC}]"
# full-width punctuation is ordinary in Chinese and counts only beside other odd characters
_ODD = pattern(f"{_ODD_CLASS}(?:{_ODD_CLASS}|[\uff01-\uff5e])*")
_UNSEEN = pattern(f"[{INVISIBLE}]+")
_EMOJI_PARTS = "\ufe0e\ufe0f\u200d"
_SPACED = pattern(
    r"(?<![^\W\d_])[A-Za-z](?: [A-Za-z]){2,}(?![^\W\d_])(?: (?= ))?"
    r"|(?<![\u4e00-\u9fff])[\u4e00-\u9fff](?: [\u4e00-\u9fff]){3,}"
)
_ESCAPES = (  # a mark that every run of the kind contains, and the run
    ("%", pattern(r"%[0-9A-Fa-f]{2}(?:%[0-9A-Fa-f]{2})*")),
    ("&#", pattern(r"&#(?:\d{2,7}|[xX][0-9A-Fa-f]{2,6});(?:&#(?:\d{2,7}|[xX][0-9A-Fa-f]{2,6});)*")),
    ("\\u", pattern(r"\\u[0-9A-Fa-f]{4}(?:\\u[0-9A-Fa-f]{4})*")),
    ("\\x", pattern(r"\\x[0-9A-Fa-f]{2}(?:\\x[0-9A-Fa-f]{2})*")),
)
_TOKEN_SET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_.-"
_TOKEN_SHAPE = bytes(ord("a") if byte in _TOKEN_SET else ord(" ") for byte in range(256))
_LETTER_SHAPE = bytes(byte if byte in b"abcdefghijklmnopqrstuvwxyz" else ord(" ") for byte in range(256))
_BEGINNING = 4  # letters by which a word is looked up; for a shorter needle one fewer
_HEAD = 24  # characters of a run that are decoded to test for text; a multiple of four
_WRAPPED = 60  # length from which a line of base64 may continue on the next line


class ViewSegment(NamedTuple):
    """A part of a view: its offset there, and the span of the text below that it shows."""

    offset: int
    start: int
    end: int
    replaced: bool


class DecodedView:
    """One view of a text; `lower` is for searching words, `text` for exact patterns."""

    def __init__(
        self, text: str, layer: str = "text", below: DecodedView | None = None, segments: tuple[ViewSegment, ...] = ()
    ) -> None:
        self.text = text
        self.layer = layer
        self.below = below
        self.segments = segments
        self.depth: int = below.depth + 1 if below else 0
        self.hidden: bool = layer not in ("text", "normal") or bool(below and below.hidden)

    @cached_property
    def lower(self) -> str:
        """The text in lower case, with the same offsets."""
        return lower(self.text)

    @cached_property
    def uncommon(self) -> str:
        """The different characters of the text beyond the common ones; a rule about others searches these first."""
        return uncommon(self.text)

    def matches(self, needles: Needles[str], shape: Pattern) -> Iterator[re.Match[str]]:
        """Yield the matches of a pattern in order; each begins with a needle, so that it is tried at these only."""
        starts: list[int] = []
        for needle in needles.held_by(self):
            at = self.lower.find(needle)
            while at >= 0:
                starts.append(at)
                at = self.lower.find(needle, at + 1)
        end = 0
        for start in sorted(starts):
            if start >= end and (match := shape.match(self.text, start)):
                yield match
                end = match.end()

    @cached_property
    def words(self) -> list[bytes]:
        """The Latin words of the text in lower case; a letter beyond ASCII divides one."""
        return self.lower.encode("ascii", "replace").translate(_LETTER_SHAPE).split()

    @cached_property
    def _different(self) -> set[bytes]:
        return set(self.words)

    @cached_property
    def vocabulary(self) -> bytes:
        """The different words of the text, joined by blanks."""
        return b" ".join(self._different)

    @cached_property
    def beginnings(self) -> frozenset[bytes]:
        """The first letters of the words of the text."""
        longer = {word[:_BEGINNING] for word in self._different}
        return frozenset(longer | {word[: _BEGINNING - 1] for word in longer})

    @cached_property
    def runs(self) -> tuple[Span, ...]:
        """The long runs of the characters of which keys, tokens and base64 consist."""
        return tuple(runs(self.text))

    @cached_property
    def _starts(self) -> list[int]:
        return [one.offset for one in self.segments]

    def locate(self, start: int, end: int) -> Span:
        """Return the span in the file of a match in this view; a replaced run counts as a whole."""
        if self.below is None:
            return Span(start, end)
        first = self.segments[bisect_right(self._starts, start) - 1]
        last = self.segments[bisect_right(self._starts, max(start, end - 1)) - 1]
        begin = first.start if first.replaced else first.start + start - first.offset
        stop = last.end if last.replaced else last.start + end - last.offset
        return self.below.locate(begin, stop)

    def shows(self, start: int, end: int) -> bool:
        """Return whether a match can be new in this view: a replaced run is in it or shortly before it."""
        if self.below is None:
            return True
        first = max(0, bisect_right(self._starts, start - _WORDS_BEFORE) - 1)
        last = bisect_right(self._starts, max(start, end - 1))
        return any(one.replaced for one in self.segments[first:last])


def _words_of(needle: str, *, inside: bool) -> tuple[frozenset[bytes], bytes]:
    """Return the beginnings of the words of a needle, and its first word if that may begin inside a word of the text.

    The last word may be longer in the text; of one or two letters, too many words begin with it.
    """
    words = needle.encode("ascii", "replace").translate(_LETTER_SHAPE).split()
    first = words.pop(0) if inside and _is_latin(needle[:1]) else b""
    if words and _is_latin(needle[-1:]) and len(words[-1]) < _BEGINNING - 1:
        words.pop()
    return frozenset(word[:_BEGINNING] for word in words), first


_Question = tuple[str, bytes, frozenset[bytes], bytes, T]


class Needles(Generic[T]):
    """Texts that are searched in a text in lower case, each with what it is searched for.

    A text is divided into its different words once. The words of a hundred needles are then looked up in these, and
    few needles are left to search.
    """

    def __init__(self, rows: Iterable[tuple[str, T]], *, inside: Container[str] = ()) -> None:
        """Bind to needles with their values; those of `inside` may begin inside a word of the text."""
        self._given, self._inside = tuple(rows), inside

    @cached_property
    def _all(self) -> list[_Question[T]]:
        return [self._question(needle, value) for needle, value in self._given]

    @cached_property
    def _latin(self) -> list[_Question[T]]:
        """Those that a text in ASCII may hold."""
        return [self._question(needle, value) for needle, value in self._given if needle.isascii()]

    def _question(self, needle: str, value: T) -> _Question[T]:
        """Return a needle, the longest beginning of its words, all of them, what is inside a word, and its value."""
        begun, first = _words_of(needle, inside=needle in self._inside)
        return needle, max(begun, key=len, default=b""), begun, first, value

    def held_by(self, view: DecodedView) -> list[T]:
        """Return the values of the needles whose words are in a text, in their order; others are not in the text."""
        beginnings, vocabulary, lower = view.beginnings, view.vocabulary, view.lower
        return [
            value
            for needle, longest, begun, first, value in (self._latin if lower.isascii() else self._all)
            # a character is found ten times as fast as a word
            if (longest in beginnings if longest else needle[:1] in lower)
            and first in vocabulary
            and beginnings.issuperset(begun)
        ]


def needles(*texts: str, inside: bool = False) -> Needles[str]:
    """Return needles that are searched for themselves; with `inside`, all may begin inside a word."""
    return Needles(zip(texts, texts, strict=True), inside=texts if inside else ())


_SPACED_WORDS = needles(
    "i g n o r e", "d i s r e g a r d", "p a s s w o r d", "s y s t e m", "忽 略", "无 视", "密 码", "指 令",
    inside=True,
)  # fmt: skip


def decoded_views(text: DecodedView) -> tuple[DecodedView, ...]:
    """Return the text and every view of it that differs."""
    views = [text]
    for view in views:  # the list grows during the loop
        if view.depth < _DEPTH:
            views += (one for one in _layers(view) if one.segments)
    return tuple(views)


def readable_views(view: DecodedView) -> tuple[DecodedView, ...]:
    """Return the text, and the text as a person reads it if that differs; encoded runs are not decoded."""
    read = _replace(view, "normal", _odd(view))
    return (view, read) if read.segments else (view,)


def lower(text: str) -> str:
    """Return a text in lower case with the same offsets; the few letters that would become longer are unchanged."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def runs(text: str) -> Iterator[Span]:
    """Yield the spans of long runs of the characters of which keys, tokens and base64 consist."""
    shape = text.encode("ascii", "replace").translate(_TOKEN_SHAPE) + b" "
    needle = b"a" * _RUN
    start = shape.find(needle)
    while start >= 0:
        end = shape.find(b" ", start)
        yield Span(start, end)
        start = shape.find(needle, end)


def _layers(view: DecodedView) -> Iterator[DecodedView]:
    if view.layer != "normal":
        yield _replace(view, "normal", _odd(view))
    yield _replace(view, "escape", _escaped(view.text))
    yield _replace(view, "base64", _encoded(view))


def _replace(view: DecodedView, layer: str, replacements: Iterable[tuple[int, int, str]]) -> DecodedView:
    """Return a view that shows the replaced runs with the text around them."""
    text, end_of_last, offset = view.text, 0, 0
    out: list[str] = []
    segments: list[ViewSegment] = []

    def add(start: int, end: int, new: str, *, replaced: bool = False) -> None:
        nonlocal offset
        if replaced or new:
            segments.append(ViewSegment(offset, start, end, replaced))
            out.append(new)
            offset += len(new)

    for start, end, new in replacements:
        if start < end_of_last:
            continue  # overlaps the run before
        begin = max(end_of_last, start - _AROUND)
        if segments and begin > end_of_last:
            tail = min(end_of_last + _AROUND, begin)
            add(end_of_last, tail, text[end_of_last:tail])
            add(tail, tail, "\n\n" if tail < begin else "")
        add(begin, start, text[begin:start])
        add(start, end, new, replaced=True)
        end_of_last = end
    if segments:
        tail = min(end_of_last + _AROUND, len(text))
        add(end_of_last, tail, text[end_of_last:tail])
    return DecodedView("".join(out), layer, view, tuple(segments))


def _odd(view: DecodedView) -> list[tuple[int, int, str]]:
    """Return odd spellings, each with what a person reads: compatibility, invisible, look-alike and spaced letters."""
    replacements: list[tuple[int, int, str]] = []
    if _ODD.search(view.uncommon):
        replacements += (run for match in _ODD.finditer(view.text) if (run := _folded(match)))
    if any(word in view.lower for word in _SPACED_WORDS.held_by(view)):
        replacements += ((*match.span(), match.group().replace(" ", "")) for match in _SPACED.finditer(view.text))
        replacements.sort()
    return replacements


def _folded(match: re.Match[str]) -> tuple[int, int, str] | None:
    """Return the span of a run of odd characters and what it stands for; None if it is ordinary."""
    start, end = match.span()
    old = match.group()
    before, after = match.string[start - 1 : start], match.string[end : end + 1]
    if not before.isalnum() and not old.strip(_EMOJI_PARTS):
        return None  # part of an emoji
    if old[0] in _COMBINING:
        start, old = max(start - 1, 0), before + old
    new = _plain(old)
    if _is_latin(before) or _is_latin(after):
        new = new.translate(_ALIKE)
    return (start, end, new) if new != old else None


@lru_cache(maxsize=256)
def _plain(run: str) -> str:
    """Normalize compatibility characters and remove invisible ones."""
    return unicodedata.normalize("NFKC", _UNSEEN.sub("", run))


_COMBINING = frozenset(map(chr, (*range(0x300, 0x370), 0x3099, 0x309A)))


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalpha()


def _escaped(text: str) -> list[tuple[int, int, str]]:
    """Return the runs of percent codes, character references and backslash codes with what they stand for."""
    matches = [match for mark, run in _ESCAPES if mark in text for match in run.finditer(text)]
    return sorted((*match.span(), _unescape(match.group())) for match in matches)


def _unescape(run: str) -> str:
    if run[0] == "%":
        from urllib.parse import unquote

        return unquote(run)
    if run[0] == "&":
        from html import unescape

        return unescape(run)
    codes = re.split(r"\\[ux]", run)[1:]
    return "".join(chr(int(code, 16)) for code in codes)


def _encoded(view: DecodedView) -> Iterator[tuple[int, int, str]]:
    """Yield the base64 runs that decode to readable text, with that text."""
    text = view.text
    wrapped: list[Span] = []
    for part in _parts(view):
        if wrapped and not _ends_line(text, wrapped[-1], part.start):
            yield from _decoded(text, wrapped)
            wrapped = []
        wrapped.append(part)
    if wrapped:
        yield from _decoded(text, wrapped)


def _parts(view: DecodedView) -> Iterator[Span]:
    """Split the long runs at dots, which base64 does not contain (a JWT has them between its parts)."""
    for run in view.runs:
        letters = run.of(view.text)
        if letters.islower() or letters.isupper():
            continue  # a digest, a path, a constant
        start = run.start
        for part in letters.split("."):
            if len(part) >= _RUN and _readable(_bytes(part[:_HEAD]), _HEAD // 8):
                yield Span(start, start + len(part))
            start += len(part) + 1


def _ends_line(text: str, last: Span, start: int) -> bool:
    """Return whether a run continues on the next line: a full line of base64, then only the line ending."""
    return last.end - last.start >= _WRAPPED and text[last.end : start] in ("\n", "\r\n")


def _decoded(text: str, parts: list[Span]) -> Iterator[tuple[int, int, str]]:
    """Decode parts that belong together; nothing is yielded for a hash, a path or an image."""
    data = _bytes("".join(part.of(text) for part in parts))
    if decoded := _readable(data, len(data) // 8):
        end = parts[-1].end
        while text[end : end + 1] == "=":
            end += 1
        yield parts[0].start, end, decoded


def _bytes(run: str) -> bytes:
    letters = run.replace("-", "+").replace("_", "/")
    return a2b_base64(letters[: len(letters) - (len(letters) % 4 == 1)] + "==")


def _readable(data: bytes, most: int) -> str:
    """Return the text of bytes that are nearly all text; up to `most` other characters are accepted."""
    text = data.decode("utf-8", "replace")
    return text if len(text) - len(text.translate(_STRANGE)) <= most else ""


_STRANGE = dict.fromkeys((*range(9), *range(0x0E, 0x20), 0x7F, 0xFFFD))  # characters that no text contains
