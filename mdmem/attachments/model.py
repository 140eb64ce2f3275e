"""One attachment: the values of its record, and what a caller says about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

FOLDER = "attachments"
DESCRIPTION, TRANSCRIPTION, TEXT = "description", "transcription", "text"  # section aliases in both languages


@dataclass(frozen=True, slots=True)
class Attachment:
    """An attachment, as its record describes it (K060)."""

    id: str  # the name of the record without its ending
    path: str  # the record, POSIX from the root
    filename: str  # the name under which the file is stored
    original_filename: str
    mime_type: str
    file_size: int | None  # bytes; None if it is unknown
    direction: str  # inbound: given to the agent; outbound: given by it (K061)
    local_path: str  # below the root or absolute; empty if only the address is known (K062)
    url: str
    session: str
    episode: str
    created_at: str  # YYYY-MM-DD HH:MM
    digest: str  # SHA-256 of the file; empty for a file that was not copied
    tags: tuple[str, ...]
    linked: tuple[str, ...]  # ids of memories
    description: str
    transcription: str
    text: str  # what was read from the file
    origin: str = ""  # where an import found it


class AttachmentTexts(NamedTuple):
    """What a caller says about an attachment; mdmem looks into no picture and listens to no recording."""

    description: str = ""
    transcription: str = ""
    text: str = ""

    def given(self) -> tuple[tuple[str, Sequence[str]], ...]:
        """Return the section and the lines of each text that is not empty."""
        pairs = ((DESCRIPTION, self.description), (TRANSCRIPTION, self.transcription), (TEXT, self.text))
        split = ((section, [line.strip() for line in text.splitlines() if line.strip()]) for section, text in pairs)
        return tuple((section, lines) for section, lines in split if lines)
