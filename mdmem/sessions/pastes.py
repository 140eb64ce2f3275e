"""Move what was pasted into a turn to artifacts: the turn keeps a summary and a pointer (G013, G014, G065)."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.paste import pastes
from mdmem.messages.catalog import say
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.spans import Span

_TOOL = "paste"  # the name of the tool in the artifact


class Moved(NamedTuple):
    """A text with pointers in the place of its pastes, and what the caller is told about each."""

    text: str
    notes: tuple[str, ...] = ()


def move_pastes(config: WorkspaceConfig, role: str, text: str, agent: str, at: dt.datetime | None) -> Moved:
    """Keep each long paste of a text as an artifact; where one cannot be kept, it stays in the text.

    Args:
        config: of the workspace.
        role: who says it; all that a tool says is output.
        text: what is said, its secrets masked.
        agent: whose session it is.
        at: when it was said, where that is known.
    """
    settings = config.settings.session
    spans = pastes(text, settings.paste_lines, settings.paste_chars)
    if role == "tool" and (spans or len(text) >= settings.paste_chars):
        spans = (Span(0, len(text)),)
    if not spans:
        return Moved(text)
    from mdmem.artifacts.service import put_artifact  # most turns hold no paste

    edits: list[Edit] = []
    notes: list[str] = []
    for span in spans:
        try:
            kept = put_artifact(
                config, span.of(text).encode(), stderr=b"", tool=_TOOL, given="", exit_code=None, owner=agent,
                started=at, ended=at,
            )  # fmt: skip
        except MdmemError:
            continue
        edits.append(Edit(span, "\n".join(kept.summary)))
        notes.append(say(config.lang, "session.pasted", lines=span.of(text).count("\n") + 1, id=kept.id))
    return Moved(apply_edits(text, edits), tuple(notes))
