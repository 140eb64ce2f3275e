"""What the rules about single characters share: hits gathered by line, and their names for a message."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from mdmem.core.document import Document
from mdmem.core.text import Lines, Span

_COMMON = frozenset("\t\n\r，。、：；？！（）《》「」『』【】“”‘’«»…–—·§×±←→✅❌⚠│├└─")
_NAMED = 3  # different characters that a message spells out


def is_plain(text: str) -> bool:
    """Tell whether a text holds only ASCII, Chinese, emoji and the usual signs, as most memories do.

    There is nothing in it for who looks for odd characters; a pattern that is not asked is not compiled.
    """
    return _COMMON.issuperset(
        char
        for char in set(text)
        if not (" " <= char <= "~" or "\u4e00" <= char <= "\u9fff" or "\U0001f300" <= char <= "\U0001faff")
    )


def by_line(lines: Lines, spans: Iterable[Span]) -> Iterator[tuple[int, list[Span]]]:
    """Gather spans that come in order of place by the line they begin on."""
    for line, found in groupby(spans, key=lambda span: lines.at(span.start)):
        yield line, list(found)


def cover(spans: list[Span]) -> Span:
    """Give the span from the first to the last of some spans in order."""
    return Span(spans[0].start, spans[-1].end)


def names(text: str) -> str:
    """Name the different characters of a text: `U+200B zero width space, U+00AD soft hyphen`."""
    different = list(dict.fromkeys(text))
    named = [f"U+{ord(char):04X} {unicodedata.name(char, '').lower()}".rstrip() for char in different[:_NAMED]]
    return ", ".join(named) + (", …" if len(different) > _NAMED else "")


def in_code_block(document: Document, offset: int) -> bool:
    """Tell whether an offset lies in a fenced or indented code block."""
    low, high = 0, len(document.fences)
    while low < high:
        middle = (low + high) // 2
        if document.fences[middle].span.end < offset:
            low = middle + 1
        else:
            high = middle
    return low < len(document.fences) and document.fences[low].span.start <= offset
