"""The tools over attachments: `attachment_add` and `attachment_describe` (K069, K072)."""

from __future__ import annotations

from collections.abc import Sequence

from mdmem.facade import Facade
from mdmem.tools import model
from mdmem.tools.client import ToolClient
from mdmem.tools.model import ToolReply


def attachment_add(
    host: Facade,
    client: ToolClient,
    source: str,
    description: str = "",
    transcription: str = "",
    text: str = "",
    direction: str = "inbound",
    session: str = "",
    tags: Sequence[str] = (),
) -> ToolReply:
    """Record a file or an address, with what is known about it."""
    return model.reply_from_outcome(
        host.attach(
            source, description=description, transcription=transcription, text=text, direction=direction,
            session=session, tags=tags, actor=client.actor, reason="attachment_add",
        )
    )  # fmt: skip


def attachment_describe(
    host: Facade,
    client: ToolClient,
    id: str,  # noqa: A002 - published
    description: str = "",
    transcription: str = "",
    text: str = "",
) -> ToolReply:
    """Add what is known about an attachment."""
    done = host.attachments.describe(
        id, description, transcription=transcription, text=text, actor=client.actor, reason="attachment_describe"
    )
    return model.reply_from_outcome(done)
