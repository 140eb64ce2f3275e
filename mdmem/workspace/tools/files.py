"""The tools `read`, `write` and `edit`, over any file (X1, X2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.core.text import Lines
from mdmem.workspace.kinds import files_of
from mdmem.workspace.tools import reply
from mdmem.workspace.tools.place import existing, place
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def read(workspace: Workspace, actor: str, path: str) -> Reply:  # noqa: ARG001 - every tool is called so
    """Return the text of a file; of a kind of several files, the text of each under its path."""
    several = files_of(workspace.config, path)
    if len(several) > 1:
        return _read_all(workspace, path, several)
    found = workspace.read(existing(workspace.config, path))
    message = say(workspace.lang, "read", path=found.path, lines=len(Lines(found.text)))
    return Reply("done", message, found.warning, path=found.path, text=found.text)


def _read_all(workspace: Workspace, kind: str, files: Sequence[str]) -> Reply:
    found = [workspace.read(existing(workspace.config, one)) for one in files]
    warnings = " ".join(f"{one.path}: {one.warning}" for one in found if one.warning)
    text = "\n".join(f"{one.path}:\n\n{one.text}" for one in found)
    return Reply("done", say(workspace.lang, "read-all", kind=kind, count=len(found)), warnings, text=text)


def write(workspace: Workspace, actor: str, path: str, content: str, *, confirm: bool = False) -> Reply:
    """Put a text in a file's place, or begin a new file."""
    inside = place(workspace.config, path)
    return reply.of(workspace.write(inside, content, confirm=confirm, actor=actor, reason="write"))


def edit(
    workspace: Workspace,
    actor: str,
    path: str,
    oldText: str,  # noqa: N803 - published
    newText: str,  # noqa: N803 - published
    *,
    confirm: bool = False,
) -> Reply:
    """Replace a text that stands in a file once."""
    inside = existing(workspace.config, path)
    return reply.of(workspace.edit(inside, oldText, newText, confirm=confirm, actor=actor, reason="edit"))
