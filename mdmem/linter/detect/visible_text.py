"""A text as a person sees it: what else it holds, a model is not shown either (law 11)."""

from __future__ import annotations

from mdmem.linter.detect.hidden_characters import CONTROL, by_line, controls, is_plain, unneeded_hidden
from mdmem.linter.detect.hidden_characters import unneeded_bidi as reordering
from mdmem.linter.detect.hidden_text import hidden_text
from mdmem.text.inline import mask
from mdmem.text.pattern import pattern
from mdmem.text.spans import Lines

_BROKEN = pattern("[\ud800-\udfff]+")


def visible_text(text: str) -> str:
    """Leave out hidden text, hidden, reordering and control characters; bytes that are no UTF-8 become U+FFFD."""
    if "<" in text or "]:" in text:
        text = mask(text, (one.span for one in hidden_text(text)), "")
    if is_plain(text):
        return text
    text = mask(text.removeprefix("\ufeff"), unneeded_hidden(text.removeprefix("\ufeff")), "")
    lines = Lines(text)
    spans = [span for line, own in by_line(lines, controls(text)) for span in reordering(text, lines.span(line), own)]
    return _BROKEN.sub("\ufffd", CONTROL.sub(" ", mask(text, spans, "")))
