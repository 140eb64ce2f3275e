"""Lines that begin with a label, `- 指令指针: 3` or `**Phase**: executing`: how a kind's own words are read."""

import re
from bisect import bisect_right
from functools import cache
from typing import NamedTuple

from mdmem.core.document import Document
from mdmem.core.pattern import Pattern, pattern
from mdmem.core.text import Span


class Labelled(NamedTuple):
    """A line with a label, and the text behind its colon."""

    span: Span
    value: str


def labelled(document: Document, labels: tuple[str, ...]) -> Labelled | None:
    """Give the first line outside code that begins with one of the labels."""
    if not labels:
        return None
    ends = [fence.span.end for fence in document.fences]
    for match in _pattern(labels).finditer(document.text, document.start):
        fence = bisect_right(ends, match.start(1))  # the first fence that ends behind the line
        if fence == len(ends) or match.start(1) < document.fences[fence].span.start:
            return Labelled(Span(match.start(1), match.end(2)), match.group(2).strip(" \t*_`"))
    return None


@cache
def _pattern(labels: tuple[str, ...]) -> Pattern:
    words = "|".join(re.escape(label) for label in sorted(labels, key=len, reverse=True))
    line = r"(?:\A|(?<=[\r\n]))[ \t]{0,8}(?:[-*+][ \t]{1,8})?[*_]{0,3}"
    return pattern(rf"{line}((?:{words})[*_]{{0,3}}[ \t]{{0,8}}[:：]([^\r\n]*))", re.IGNORECASE)
