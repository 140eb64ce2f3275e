"""Lines that begin with a label, `- 指令指针: 3` or `**Phase**: executing`: how a kind's own words are read."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

from mdmem.core.document import Document
from mdmem.core.pattern import Pattern, pattern
from mdmem.core.record import NamedTuple
from mdmem.core.text import Span


class Labelled(NamedTuple):
    """A line with a label, and the text behind its colon."""

    span: Span
    value: str
    value_span: Span  # with the spaces and signs around the value


def labelled(document: Document, labels: tuple[str, ...], *, outside: Sequence[Span] = ()) -> Labelled | None:
    """Give the first line outside code, and outside these spans, that begins with one of the labels."""
    if not labels:
        return None
    ends = [fence.span.end for fence in document.fences]
    for match in _pattern(labels).finditer(document.text, document.start):
        place = Span(match.start(1), match.end(2))
        fence = bisect_right(ends, place.start)  # the first fence that ends behind the line
        inside = fence < len(ends) and place.start >= document.fences[fence].span.start
        if not inside and not any(one.holds(place) for one in outside):
            return Labelled(place, match.group(2).strip(" \t*_`"), Span(*match.span(2)))
    return None


@cache
def _pattern(labels: tuple[str, ...]) -> Pattern:
    words = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    line = r"(?:\A|(?<=[\r\n]))[ \t]{0,8}(?:[-*+][ \t]{1,8})?[*_]{0,3}"
    return pattern(rf"{line}((?:{words})[*_]{{0,3}}[ \t]{{0,8}}[:：]([^\r\n]*))", re.IGNORECASE)
