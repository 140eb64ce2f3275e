"""The tools `read`, `write` and `edit`, over any file (X1, X2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.core.text import Lines
from mdmem.workspace.tools import reply
from mdmem.workspace.tools.place import existing, place
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def read(workspace: Workspace, actor: str, path: str) -> Reply:  # noqa: ARG001 - every tool is called so
    """Give a file's text."""
    found = workspace.read(existing(workspace.config, path))
    message = say(workspace.lang, "read", path=found.path, lines=len(Lines(found.text)))
    return Reply("done", message, found.warning, path=found.path, text=found.text)


def write(workspace: Workspace, actor: str, path: str, content: str) -> Reply:
    """Put a text in a file's place, or begin a new file."""
    return reply.of(workspace.write(place(workspace.config, path), content, actor=actor, reason="write"))


def edit(workspace: Workspace, actor: str, path: str, oldText: str, newText: str) -> Reply:  # noqa: N803 - published
    """Replace a text that stands in a file once."""
    inside = existing(workspace.config, path)
    return reply.of(workspace.edit(inside, oldText, newText, actor=actor, reason="edit"))
