"""A text as a person sees it: what else it holds, a model is not shown either (law 11)."""

from __future__ import annotations

from mdmem.core.inline import mask
from mdmem.core.pattern import pattern
from mdmem.core.text import Lines
from mdmem.linter.characters import by_line, is_plain
from mdmem.linter.hidden_text import hidden_text
from mdmem.linter.rules.mm104_control_character import CONTROL
from mdmem.linter.rules.mm105_hidden_character import unneeded
from mdmem.linter.rules.mm106_bidi_control import controls
from mdmem.linter.rules.mm106_bidi_control import unneeded as reordering

_BROKEN = pattern("[\ud800-\udfff]+")


def visible(text: str) -> str:
    """Leave out hidden text, hidden, reordering and control characters; bytes that are no UTF-8 become U+FFFD."""
    if "<" in text or "]:" in text:
        text = mask(text, (one.span for one in hidden_text(text)), "")
    if is_plain(text):
        return text
    text = mask(text.removeprefix("\ufeff"), unneeded(text.removeprefix("\ufeff")), "")
    lines = Lines(text)
    spans = [span for line, own in by_line(lines, controls(text)) for span in reordering(text, lines.span(line), own)]
    return _BROKEN.sub("\ufffd", CONTROL.sub(" ", mask(text, spans, "")))
