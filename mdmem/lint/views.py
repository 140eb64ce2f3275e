"""Three looks at one text: as it stands, as a person reads it, and what encoded runs in it hide.

A secret or an instruction spelled with full-width letters, split by zero-width characters or wrapped in base64 is
still one. Every view maps a match back to the place in the file that a person must look at.
"""

from __future__ import annotations

import base64
import binascii
import re
import unicodedata
from collections.abc import Iterator
from typing import Literal, NamedTuple
from urllib.parse import unquote

from mdmem.core.document import Document
from mdmem.core.text import Lines, Span

# Characters that a reader does not see; deleted before a second look.
INVISIBLE = re.compile("[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
                       "\ufe00-\ufe0f\ufeff\U000e0000-\U000e0fff]")  # fmt: skip
_PERCENT = re.compile(r"(?:[\w.~:/?&=+-]{0,64}%[0-9A-Fa-f]{2}){4,}[\w.~:/?&=+-]{0,64}")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,8192}={0,2}")
_PRINTED = re.compile(r"[\t\n\r\x20-\x7e\u00a0-\u024f\u3000-\u30ff\u4e00-\u9fff\uff00-\uffef]*\Z")

Layer = Literal["text", "normal", "percent", "base64"]


class View(NamedTuple):
    """One look at the text; `lower` is what to search for words, `text` for exact shapes."""

    layer: Layer
    text: str
    lower: str
    document: Document
    inside: Span  # of an encoded run: where it stands in the file; else the whole text

    def locate(self, start: int, end: int) -> Span:
        """Give the place in the file of a match in this view's text (or its lower-case form)."""
        if self.layer == "text":
            return Span(start, end)
        if self.layer != "normal":
            return self.inside
        lines = Lines(self.text) if self.text is not self.document.text else self.document.lines
        first, last = lines.at(start), lines.at(max(start, end - 1))
        whole = Span(self.document.lines.span(first).start, self.document.lines.span(last).end)
        same = len(self.document.lines.text(first)) == len(lines.text(first)) and first == last
        column = start - lines.span(first).start
        return Span(whole.start + column, whole.start + column + end - start) if same else whole


def normal(text: str) -> str:
    """Fold compatibility characters and drop invisible ones; lines stay lines."""
    return INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def views(document: Document) -> tuple[View, ...]:
    """Give the views of a document that differ from one another."""
    text = document.text
    everything = Span(0, len(text))
    found = [View("text", text, _lower(text), document, everything)]
    if not text.isascii() and (folded := normal(text)) != text:
        found.append(View("normal", folded, _lower(folded), document, everything))
    found += [View(layer, inner, _lower(inner), document, span) for layer, inner, span in _hidden(text)]
    return tuple(found)


def _lower(text: str) -> str:
    lowered = text.lower()
    # a few letters grow in lower case; offsets matter more than they do
    return lowered if len(lowered) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _hidden(text: str) -> Iterator[tuple[Layer, str, Span]]:
    if "%" in text:
        for match in _PERCENT.finditer(text):
            if (inner := unquote(match.group())) != match.group():
                yield "percent", inner, Span(*match.span())
    for match in _BASE64.finditer(text):
        if inner := _decode(match.group()):
            yield "base64", inner, Span(*match.span())


def _decode(run: str) -> str:
    """Give the readable text that a base64 run stands for; empty where it is a hash, a path or a binary."""
    letters = run.rstrip("=").replace("-", "+").replace("_", "/")
    if len(letters) % 4 == 1 or letters.isdigit() or letters.islower() or letters.isupper():
        return ""
    try:
        inner = base64.b64decode(letters + "=" * (-len(letters) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return inner if _PRINTED.match(inner) else ""
