"""The types of a handoff: its lines, and the parts that hold them. Pure."""

from __future__ import annotations

from typing import NamedTuple

KIND = "handoff"
FOLDER = "handoffs"  # in the folder of the receiver

# The sections, by an alias that the templates of both languages have, in the order in which they are written.
SECTIONS = TAKEN, PLAN, PINS, QUESTIONS, STEPS, SESSIONS, SOURCES, LEFT = (
    "taken", "plan", "pins", "open_questions", "next_steps", "sessions", "sources", "left_out",
)  # fmt: skip


class HandoffLine(NamedTuple):
    """One line of a handoff."""

    text: str
    file: str  # the file that it was read from
    source: str = ""  # the evidence, `chat:…`, `tool:…` or `file:…`
    fields: str = ""  # further fields, as they are written
    found: bool = True  # whether there is such evidence: what leads nowhere is named below «Sources» only

    @property
    def written(self) -> str:
        """The line as it is written, without the marker of a list."""
        source = f" [source:: {self.source}]" if self.source and self.found else ""
        return f"{self.text}{self.fields}{source}"


class HandoffPart(NamedTuple):
    """Lines of one section, the most important first."""

    section: str
    lines: tuple[HandoffLine, ...]
    most: int  # lines that are shown
