"""The tools over attachments: `attachment_add`, `attachment_describe` (K060, K072)."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.attachments.model import AttachmentText, Direction
from mdmem.tools import model
from mdmem.tools.model import ToolHost, ToolReply


def attachment_add(
    host: ToolHost,
    actor: str,
    source: str,
    description: str = "",
    direction: Direction = "inbound",
    transcription: str = "",
    text: str = "",
    session: str = "",
    tags: Sequence[str] = (),
) -> ToolReply:
    """Attach a file or a link."""
    outcome = host.attachments.add(
        source, direction=direction, description=description, transcription=transcription, text=text,
        session=session, tags=tags, actor=actor,
    )  # fmt: skip
    return model.reply_from_outcome(outcome)


def attachment_describe(
    host: ToolHost, actor: str, id: str, text: str, section: AttachmentText = "description"  # noqa: A002 - published
) -> ToolReply:  # fmt: skip
    """Replace a text of an attachment's record."""
    outcome = host.attachments.describe(id, text, section=section, actor=actor, reason="attachment_describe")
    return model.reply_from_outcome(outcome)
