"""The tools `read`, `write` and `edit`, which answer in their published wording (X1, X2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.core.text import Lines
from mdmem.errors import TargetError
from mdmem.workspace.tools import reply
from mdmem.workspace.tools.place import is_there, place
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace


def read(workspace: Workspace, actor: str, path: str) -> Reply:  # noqa: ARG001 - every tool is called so
    """Give a file's text."""
    inside, lang = existing(workspace, path), workspace.lang
    found = workspace.read(inside)
    message = say("read", lang, path=inside, lines=len(Lines(found.text)))
    return Reply("done", message, found.warning, path=inside, text=found.text)


def write(workspace: Workspace, actor: str, path: str, content: str) -> Reply:
    """Put a text in a file's place, or begin a new file."""
    inside = place(workspace.config, path)
    outcome = workspace.write(inside, content, actor=actor, reason="write")
    return reply.of(outcome, say("wrote", workspace.lang, bytes=len(content.encode()), path=inside))


def edit(workspace: Workspace, actor: str, path: str, oldText: str, newText: str) -> Reply:  # noqa: N803 - published
    """Replace a text that stands in a file once."""
    inside, lang = existing(workspace, path), workspace.lang
    try:
        outcome = workspace.edit(inside, oldText, newText, actor=actor, reason="edit")
    except TargetError as error:
        said = say("many" if error.count else "none", lang, number=error.count, path=inside)
        return reply.failed(error, said)
    if outcome.status == "unchanged":
        return reply.of(outcome._replace(message=say("unchanged", lang)))
    return reply.of(outcome, say("replaced", lang, path=inside))


def existing(workspace: Workspace, path: str) -> str:
    """Give the place of a file that is there.

    Raises:
        TargetError: there is none.
    """
    inside, lang = place(workspace.config, path), workspace.lang
    if not is_there(workspace.config, inside):
        raise TargetError(say("missing-file", lang, path=inside), hint=say("missing-hint", lang))
    return inside
