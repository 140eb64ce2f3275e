"""Read the lines of episodes in the head of a session file. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.formats.session import part_span
from mdmem.formats.template import Template, fold
from mdmem.scratchpad.model import EpisodeLine
from mdmem.text.document import Document
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern

_NAMES = ("情节", "episode", "episodes")
_ROUNDS = pattern(r"(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?\Z")
_LEAD = pattern(r"(?:第\s*[\d–-]+\s*轮|[Rr]ounds?\s+[\d–-]+)\s*[:：]\s*")


def episode_lines(document: Document, template: Template) -> tuple[EpisodeLine, ...]:
    """Return the stretches that a session file tells, in their order; action nodes are not among them."""
    return tuple(_lines(document, template))


def _lines(document: Document, template: Template) -> Iterator[EpisodeLine]:
    spans = [span for name in _NAMES if template.name(name) and (span := part_span(document, template, name))]
    titled = [section.body for section in document.sections if fold(section.title) in _NAMES]
    bodies = spans[:1] or titled[:1]
    for entry in document.entries:
        if not any(body.holds(entry.marker) for body in bodies):
            continue
        parts = read_entry(entry.text)
        field = parts.field("rounds")
        rounds = _ROUNDS.match(field.value) if field else None
        text = one_line(parts.body.of(entry.text))
        text = text[: text.find(" [")] if " [" in text and "::" in text else text
        if rounds is None or not text:
            continue
        outcome = parts.field("outcome")
        first = int(rounds[1])
        lead = _LEAD.match(text)
        yield EpisodeLine(
            text[lead.end() if lead else 0 :], first, int(rounds[2] or first), outcome.value if outcome else ""
        )
