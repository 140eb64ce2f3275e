"""Moves what somebody pasted into a message to an artifact; the message keeps its summary and a pointer."""

# The artifacts are imported for a paste only: most messages have none.
from __future__ import annotations

import datetime as dt
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import MdmemError
from mdmem.formats.artifact import POINTER, artifact_path
from mdmem.formats.paste import pastes
from mdmem.formats.session import Turn
from mdmem.messages.catalog import say
from mdmem.store.files import digest
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_POINTER = pattern(rf"{POINTER}([0-9A-Za-z][0-9A-Za-z_.-]{{0,99}})$", re.MULTILINE)
PASTE_TOOL = "paste"  # the tool's name in the artifact
Pastes: TypeAlias = dict[str, tuple[str, str]]  # the summary and the id, by a digest of the text


class PastedText(NamedTuple):
    """A text whose long pastes are replaced by pointers, and a note about each."""

    text: str
    notes: tuple[str, ...] = ()
    stored: Pastes | None = None


def spoken_turns(config: WorkspaceConfig, turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """Return turns without the summaries of their pastes, which are quotations and not what the speaker says."""
    return tuple(replace(one, text=_without_pastes(config, one.text)) for one in turns)


def _without_pastes(config: WorkspaceConfig, text: str) -> str:
    if POINTER not in text:
        return text
    from mdmem.artifacts.read import read_front
    from mdmem.store.root import Root

    with Root(config.root) as root:
        for pointer in dict.fromkeys(match[1] for match in _POINTER.finditer(text)):
            stored = read_front(root, config.whose.place(artifact_path(pointer)))
            if stored is not None and stored.tool == PASTE_TOOL:
                text = text.replace("\n".join(stored.summary), "")
    return text


def move_pastes(
    config: WorkspaceConfig, role: str, text: str, agent: str, at: dt.datetime | None, known: Pastes | None = None
) -> PastedText:
    """Store each long paste of a text as an artifact (G013, G014, G065); if that fails, it stays in the text.

    Output of a tool is a paste as a whole, and so is any text that is too long to be a message.

    Args:
        config: the workspace.
        role: the speaker.
        text: the text of the turn, secrets masked.
        agent: the agent whose session it is.
        at: the time of the turn, if known.
        known: pastes that are stored already, those of the session's request: its first turn mostly repeats them. The
            ones of this text are taken out.
    """
    settings = config.settings.session
    spans = pastes(text, settings.paste_lines, settings.paste_chars)
    is_output = role == "tool" and (spans or len(text) >= settings.paste_chars)
    if is_output or len(text) >= settings.text_chars:
        spans = (Span(0, len(text)),)
    return _moved(config, text, spans, agent, at, known)


def move_whole(config: WorkspaceConfig, text: str, agent: str, at: dt.datetime | None) -> PastedText:
    """Store a text as an artifact, whatever it looks like; if that fails, it stays as it is."""
    return _moved(config, text, (Span(0, len(text)),) if text else (), agent, at, None)


def _moved(
    config: WorkspaceConfig, text: str, spans: Sequence[Span], agent: str, at: dt.datetime | None, known: Pastes | None
) -> PastedText:
    if not spans:
        return PastedText(text)
    edits: list[Edit] = []
    notes: list[str] = []
    moved: Pastes = {}
    for span in spans:
        paste = span.of(text)
        key = digest(paste.strip())
        try:
            moved[key] = known.pop(key) if known and key in known else _stored(config, paste, agent, at)
        except MdmemError:
            continue
        summary, stored = moved[key]
        edits.append(Edit(span, summary))
        notes.append(say(config.lang, "session.pasted", lines=paste.count("\n") + 1, id=stored))
    return PastedText(apply_edits(text, edits), tuple(notes), moved)


def _stored(config: WorkspaceConfig, paste: str, agent: str, at: dt.datetime | None) -> tuple[str, str]:
    """Store a paste; return its summary and its id."""
    from mdmem.artifacts.service import put_artifact

    stored = put_artifact(
        config, paste.encode(), stderr=b"", tool=PASTE_TOOL, tool_input="", exit_code=None, owner=agent, started=at,
        ended=at,
    )  # fmt: skip
    return "\n".join(stored.summary), stored.id
