"""The types of attachments. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Direction: TypeAlias = Literal["inbound", "outbound"]
DIRECTIONS: tuple[Direction, ...] = ("inbound", "outbound")
AttachmentText: TypeAlias = Literal["description", "transcription", "text"]
TEXTS: tuple[AttachmentText, ...] = ("description", "transcription", "text")  # the sections of a record


@dataclass(frozen=True, slots=True)
class Attachment:
    """One attachment as its record describes it (K060)."""

    path: str  # the record, POSIX from the root
    filename: str
    original_filename: str = ""
    mime_type: str = ""
    file_size: int | None = None  # bytes; None if unknown
    direction: str = "inbound"  # inbound: from the person; outbound: to the person
    local_path: str = ""  # the file: from the root, or absolute if it was not copied
    url: str = ""
    session: str = ""
    created_at: str = ""  # ISO 8601
    tags: tuple[str, ...] = ()
    linked: tuple[str, ...] = ()  # ids or paths of memories that belong to it
    episode: str = ""
    description: str = ""
    transcription: str = ""
    text: str = ""
    origin: str = ""  # where an import found it

    @property
    def id(self) -> str:
        """The name of the record without its ending."""
        return self.path.rpartition("/")[2].removesuffix(".md")
