"""Finds text that a rendered page does not show, besides comments: link definitions, hidden elements, scripts.

Scripts and frames count, because what they show is not in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from mdmem.linter.views.hidden_characters import CONTROL, by_line, controls, is_plain, unneeded_hidden
from mdmem.linter.views.hidden_characters import unneeded_bidi as reordering
from mdmem.text.inline import mask
from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines, Span

DEFINITION, ELEMENT, ACTIVE = "definition", "element", "active"

# `[//]: # (text)` and `[comment]: <> (text)`: definitions without a target, which CommonMark does not render
_LEAD = r"(?m)^(?:[ ]{0,3}>){0,4}[ ]{0,3}"
_DEFINITION = pattern(
    _LEAD + r"\[(?P<label>[^\]\n]{1,40})\]:[ \t]*(?:(?P<nowhere>#|<>|<#>)|/|\.{1,2}|\?|-|#[\w-]{1,40}|about:blank)"
    r"(?:[ \t]+|(?<=>)|[ \t]*\r?\n(?:[ ]{0,3}>){0,4}[ \t]*)(?P<text>[(\"'][^\n]{0,4000})$"
)
# `[text]: #`: the label itself is the text
_LABEL = pattern(_LEAD + r"\[(?P<text>[^\]\n^]{2,400})\]:[ \t]*(?:#|<>|<#>|/)[ \t]*\r?$")
_LABEL_WORDS = 3  # fewest words of a label that says something; `[//]`, `[toc]` and `[see below]` do not
_STYLE = (
    r"display\s{0,2}:\s{0,2}none|visibility\s{0,2}:\s{0,2}hidden|font-size\s{0,2}:\s{0,2}0|opacity\s{0,2}:\s{0,2}0(?![.\d])"
    r"|(?<!-)color\s{0,2}:\s{0,2}(?:white|transparent|\#fff(?:fff)?\b)"
)
_ELEMENT = pattern(
    rf"<(?P<tag>[a-z][a-z0-9]{{0,15}})\b(?=[^<>]{{0,500}}?(?:\sstyle\s?=\s?[^<>]{{0,300}}?(?:{_STYLE})|\shidden(?=[\s=>/])))"
    r"[^<>]{0,800}>(?P<text>[^<]{0,4000})(?:</(?P=tag)\s?>)?",
    re.IGNORECASE,
)
_ACTIVE = pattern(
    r"<(?P<tag>script|iframe|object|embed)\b[^<>]{0,2000}>(?P<text>[^<]{0,4000})(?:</(?P=tag)\s?>)?", re.IGNORECASE
)


class Hidden(NamedTuple):
    """A span that a reader of the rendered page does not see."""

    span: Span
    what: str  # definition, element, active
    chars: int  # length of the text in it


def hidden_text(text: str) -> Iterator[Hidden]:
    """Yield the hidden spans, sorted; one inside another is part of it."""
    end = 0
    for hidden in sorted(_all_hidden(text), key=lambda one: (one.span.start, -one.span.end)):
        if hidden.span.start >= end:
            yield hidden
            end = hidden.span.end


def _all_hidden(text: str) -> Iterator[Hidden]:
    if "]:" in text:
        for match in _DEFINITION.finditer(text):
            if match["nowhere"] or not _is_used(text, match["label"]):
                yield Hidden(Span(*match.span()), DEFINITION, len(match["text"].strip("()\"' \t\r")))
        for match in _LABEL.finditer(text):
            says = len(match["text"].split()) >= _LABEL_WORDS or not match["text"].isascii()
            if says and not _is_used(text, match["text"]):
                yield Hidden(Span(*match.span()), DEFINITION, len(match["text"]))
    if "<" in text:
        for what, shape in ((ELEMENT, _ELEMENT), (ACTIVE, _ACTIVE)):
            for match in shape.finditer(text):
                yield Hidden(Span(*match.span()), what, len(match["text"].strip()))


def _is_used(text: str, label: str) -> bool:
    """Return whether a link refers to the label of a definition."""
    return text.casefold().count(f"[{label.casefold()}]") > 1


_BROKEN = pattern("[\ud800-\udfff]+")


def visible_text(text: str) -> str:
    """Return a text without hidden text, hidden, reordering and control characters; invalid UTF-8 becomes U+FFFD."""
    if "<" in text or "]:" in text:
        text = mask(text, (one.span for one in hidden_text(text)), "")
    if is_plain(text):
        return text
    text = mask(text.removeprefix("\ufeff"), unneeded_hidden(text.removeprefix("\ufeff")), "")
    lines = Lines(text)
    spans = [span for line, own in by_line(lines, controls(text)) for span in reordering(text, lines.span(line), own)]
    return _BROKEN.sub("\ufffd", CONTROL.sub(" ", mask(text, spans, "")))
