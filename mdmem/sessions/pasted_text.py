"""Moves what somebody pasted into a message to an artifact; the message keeps its summary and a pointer."""

# The artifacts are imported for a paste only: most messages have none.
from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.paste import pastes
from mdmem.messages.catalog import say
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.spans import Span

PASTE_TOOL = "paste"  # the tool's name in the artifact


class PastedText(NamedTuple):
    """A text whose long pastes are replaced by pointers, and a note about each."""

    text: str
    notes: tuple[str, ...] = ()


def move_pastes(config: WorkspaceConfig, role: str, text: str, agent: str, at: dt.datetime | None) -> PastedText:
    """Store each long paste of a text as an artifact (G013, G014, G065); if that fails, it stays in the text.

    Output of a tool is a paste as a whole, and so is any text that is too long to be a message.

    Args:
        config: the workspace.
        role: the speaker.
        text: the text of the turn, secrets masked.
        agent: the agent whose session it is.
        at: the time of the turn, if known.
    """
    settings = config.settings.session
    spans = pastes(text, settings.paste_lines, settings.paste_chars)
    is_output = role == "tool" and (spans or len(text) >= settings.paste_chars)
    if is_output or len(text) >= settings.text_chars:
        spans = (Span(0, len(text)),)
    if not spans:
        return PastedText(text)
    from mdmem.artifacts.service import put_artifact

    edits: list[Edit] = []
    notes: list[str] = []
    for span in spans:
        try:
            stored = put_artifact(
                config, span.of(text).encode(), stderr=b"", tool=PASTE_TOOL, tool_input="", exit_code=None,
                owner=agent, started=at, ended=at,
            )  # fmt: skip
        except MdmemError:
            continue
        edits.append(Edit(span, "\n".join(stored.summary)))
        notes.append(say(config.lang, "session.pasted", lines=span.of(text).count("\n") + 1, id=stored.id))
    return PastedText(apply_edits(text, edits), tuple(notes))
