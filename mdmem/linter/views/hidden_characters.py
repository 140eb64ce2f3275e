"""Finds hidden, reordering and control characters, groups them by line, and names them for a message."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from mdmem.text.document import Document
from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines, Span

_COMMON = frozenset("\t\n\r，。、：；？！（）《》「」『』【】“”‘’«»…–—·§×±←→✅❌⚠│├└─")
_COMMON_ASCII = bytes((*b"\t\n\r", *range(0x20, 0x7F)))
_NAMED = 3  # different characters that a message spells out


def is_plain(text: str) -> bool:
    """Return whether a text holds only ASCII, Chinese, emoji and the usual signs, as most memories do.

    A plain text needs no search for odd characters, so that their patterns are not compiled.
    """
    return not uncommon(text)


def uncommon(text: str) -> str:
    """Return the different characters of a text that are not among those of a plain one."""
    if text.isascii():
        return text.encode().translate(None, _COMMON_ASCII).decode()
    return "".join(
        char
        for char in set(text) - _COMMON
        if not (" " <= char <= "~" or "\u4e00" <= char <= "\u9fff" or "\U0001f300" <= char <= "\U0001faff")
    )


def by_line(lines: Lines, spans: Iterable[Span]) -> Iterator[tuple[int, list[Span]]]:
    """Group sorted spans by the line on which they begin."""
    for line, group in groupby(spans, key=lambda span: lines.at(span.start)):
        yield line, list(group)


def cover(spans: list[Span]) -> Span:
    """Return the span from the first to the last of some sorted spans."""
    return Span(spans[0].start, spans[-1].end)


def names(text: str) -> str:
    """Return the names of the different characters of a text: `U+200B zero width space, U+00AD soft hyphen`."""
    different = list(dict.fromkeys(text))
    named = [f"U+{ord(char):04X} {unicodedata.name(char, '').lower()}".rstrip() for char in different[:_NAMED]]
    return ", ".join(named) + (", …" if len(different) > _NAMED else "")


def in_code_block(document: Document, offset: int) -> bool:
    """Return whether an offset is in a fenced or indented code block."""
    low, high = 0, len(document.fences)
    while low < high:
        middle = (low + high) // 2
        if document.fences[middle].span.end < offset:
            low = middle + 1
        else:
            high = middle
    return low < len(document.fences) and document.fences[low].span.start <= offset


# a control character, a run of NUL, or an escape with all that a terminal reads with it: colours, titles, charsets
CONTROL = pattern(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]"
    r"(?:(?<=\x00)\x00++|(?:(?<=\x1b)\[|(?<=\x9b))[0-?]*+[ -/]*+[@-~]"
    r"|(?<=\x1b)\][^\x07\x1b\x9c\r\n]*+(?:\x07|\x1b\\|\x9c)"
    r"|(?<=\x1b)[()][AB0-2])?"
)

_BREAKS = "\x0b\x0c\x85\u2028\u2029"  # these separate words as a space does


def in_place_of(text: str, control: Span) -> str:
    """Return what stays when a control character is deleted: a space if two words would be joined."""
    around = text[max(0, control.start - 1) : control.start], text[control.end : control.end + 1]
    separates = text[control.start] in _BREAKS and not any(char.isspace() or not char for char in around)
    return " " if separates else ""


def is_misread(text: str, control: Span) -> bool:
    """Return whether a control character is a letter that was read in the wrong encoding."""
    char = text[control.start]
    return "\x80" <= char <= "\x9f" and char != "\x85" and control.end - control.start == 1


def without_controls(text: str) -> str:
    """Return a text without control characters and escape sequences; letters of Windows-1252 are read as such."""
    return text if is_plain(text) else CONTROL.sub(_readable, text)


def _readable(match: re.Match[str]) -> str:
    span = Span(*match.span())
    if is_misread(match.string, span):
        return match[0].encode("latin-1").decode("cp1252", "ignore")
    return in_place_of(match.string, span)


HIDDEN = pattern(
    "[\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200d\u2060-\u2065\u206a-\u206f\u3164\ufe00-\ufe0f\ufeff"
    "\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]+"
)
# scripts with joining letters: Arabic and related ones, the scripts of India and South-East Asia, Mongolian
_JOINING = (
    "\u0600-\u06ff\u0700-\u08ff\u0900-\u0dff\u0e00-\u0fff\u1000-\u109f\u1700-\u18af\u1900-\u1cff\ua800-\uabff"
    "\ufb1d-\ufdff\ufe70-\ufefc\U00010a00-\U00010d3f\U00010f30-\U00011fff\U0001e900-\U0001e95f"
)
# scripts without spaces between words, where U+200B marks a possible line break
_UNSPACED = "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19ff\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
_EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u24c2\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_SYMBOL = f"#*0-9{_EMOJI}\u2000-\u200a\u2010-\u2027\u2030-\u205e\u2070-\u2bff\u3000-\u303f\u3200-\u33ff"
_IDEOGRAPH = "\u2e80-\u2fdf\u3001-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_NEEDED = pattern(
    "|".join(
        (
            rf"(?<=[{_SYMBOL}])[\ufe00-\ufe02\ufe0e\ufe0f](?:\u200d(?=[{_EMOJI}]))?",  # a form and a joiner
            rf"(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}])",  # an emoji made of several
            r"(?<=\U0001f3f4)[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f",  # the flag of a region
            rf"(?<=[{_JOINING}])[\u200c\u200d]{{1,3}}|[\u200c\u200d]{{1,3}}(?=[{_JOINING}])",
            rf"(?<=[{_UNSPACED}])\u200b|\u200b(?=[{_UNSPACED}])",
            r"(?<=[\u1800-\u18af])[\u180b-\u180f]{1,2}",  # shapes of Mongolian letters
            r"(?<=[\u1780-\u17b3\u17b6-\u17ff])[\u17b4\u17b5]",  # old Khmer vowels
            r"(?<=[\u1100-\u115e\ua960-\ua97c])\u1160|\u115f(?=[\u1161-\u11a7\ud7b0-\ud7c6])",  # half syllables
            rf"(?<=[{_IDEOGRAPH}])[\ufe00-\ufe02\U000e0100-\U000e011f]",  # forms of one ideograph
            r"(?<=[\u1000-\u109f\ua840-\ua877])\ufe00",
            r"\u034f(?=[\u0300-\u036f\u0591-\u05c7])",  # keeps two marks of a letter apart
        )
    )
)


def unneeded_hidden(text: str) -> Iterator[Span]:
    """Yield each run of hidden characters without the part that a letter beside it needs."""
    for run in HIDDEN.finditer(text, 1 if text.startswith("\ufeff") else 0):
        needed = _NEEDED.match(text, run.start())
        start = needed.end() if needed else run.start()
        if start < run.end():
            yield Span(start, run.end())


_CONTROL = pattern("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_RIGHT_TO_LEFT = pattern(
    "[\u0590-\u05ff\u0620-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
_MARKS = "\u061c\u200e\u200f"
_OPENING, _CLOSING = "\u2066\u2067\u2068", "\u2069"


def controls(text: str) -> Iterator[Span]:
    """Yield the spans of the bidirectional controls of a text, needed or not."""
    return (Span(*match.span()) for match in _CONTROL.finditer(text))


def unneeded_bidi(text: str, line: Span, spans: list[Span]) -> list[Span]:
    """Return the controls of a line without those that Unicode recommends beside right-to-left letters."""
    if not _RIGHT_TO_LEFT.search(text, line.start, line.end):
        return spans
    needed = _MARKS + (_OPENING + _CLOSING if _balanced(text, spans) else "")
    return [span for span in spans if span.of(text) not in needed]


def _balanced(text: str, spans: list[Span]) -> bool:
    depth = 0
    for span in spans:
        depth += (span.of(text) in _OPENING) - (span.of(text) == _CLOSING)
        if depth < 0:
            return False
    return depth == 0
