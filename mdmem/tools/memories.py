"""The tools over single memories: `memory_replace`, `memory_remove`, `memory_tick`, `memory_undo`, `memory_forget`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mdmem.entries.access import AccessPolicy
from mdmem.errors import RefusedError, UsageError
from mdmem.messages.catalog import say
from mdmem.pins.provenance import memory_path
from mdmem.text.document import parse
from mdmem.tools import model
from mdmem.tools.memory_paths import existing_path
from mdmem.tools.model import ToolReply

if TYPE_CHECKING:
    from mdmem.entries.forget import ForgetResult
    from mdmem.workspace import Workspace


def memory_replace(workspace: Workspace, actor: str, entry: str, content: str, path: str | None = None) -> ToolReply:
    """Replace the text of one entry."""
    inside = _path(workspace, path, [entry])
    return model.reply_from_outcome(workspace.replace(inside, entry, content, actor=actor, reason="memory_replace"))


def memory_remove(workspace: Workspace, actor: str, entries: Sequence[str], path: str | None = None) -> ToolReply:
    """Take entries out of a file and into the archive."""
    inside = _path(workspace, path, entries)
    return model.reply_from_outcome(workspace.remove(inside, entries, actor=actor, reason="memory_remove"))


def memory_tick(
    workspace: Workspace, actor: str, entry: str, path: str | None = None, *, done: bool = True
) -> ToolReply:
    """Mark an entry as done, or take that back."""
    inside = _path(workspace, path, [entry])
    return model.reply_from_outcome(workspace.tick(inside, entry, done=done, actor=actor, reason="memory_tick"))


def memory_undo(workspace: Workspace, actor: str, id: str | None = None) -> ToolReply:  # noqa: A002 - published
    """Take a change back."""
    return model.reply_from_outcome(workspace.undo(id or None, actor=actor, reason="memory_undo"))


def memory_forget(workspace: Workspace, actor: str, text: str, *, confirm: bool = False) -> ToolReply:
    """List the places of a text; with `confirm`, remove it from all of them for good."""
    planned = workspace.forget(text, dry_run=True, actor=actor)
    _may_forget(workspace, actor, planned)
    if planned.status == "unchanged":
        return ToolReply("unchanged", planned.message, planned.hint)
    done = workspace.forget(text, actor=actor) if confirm else planned
    hint = done.hint if confirm else "; ".join(filter(None, (say(workspace.lang, "tool.forget-confirm"), done.hint)))
    text = "\n".join(f"{one.path}:{one.line} {one.what} {one.text}".rstrip() for one in done.places if one.path)
    ident = done.transaction.id if done.transaction else ""
    return ToolReply("done" if confirm else "planned", done.message, hint, text=text, transaction=ident)


def _may_forget(workspace: Workspace, actor: str, planned: ForgetResult) -> None:
    """Leave to the user what changes only with the user's word, and what would empty a file.

    Raises:
        RefusedError: a file is not this actor's to change, or would lose most of its entries for good.
    """
    access, settings = AccessPolicy(workspace.config, actor), workspace.config.settings.pen
    for path in sorted({one.path for one in planned.places if one.path}):
        if access.waits(path):
            access.stop(RefusedError, "pen.only-user", path)
    for path, gone in Counter(one.path for one in planned.places if one.what == "entry").items():
        count = len(parse(workspace.read(path).text.encode("utf-8", "surrogateescape")).entries)
        if gone >= settings.shrink_entries and gone > settings.shrink_ratio * count:
            message = say(workspace.lang, "tool.forget-user", path=path, gone=gone, count=count)
            raise RefusedError(message, hint=say(workspace.lang, "tool.forget-user.hint"), path=path)


def _path(workspace: Workspace, path: str | None, entries: Sequence[str]) -> str:
    """Return the file that is named, or the one in which the entries stand.

    Raises:
        TargetError: there is no such file, or no memory file has such an entry.
        UsageError: the entries stand in several files.
    """
    if path:
        return existing_path(workspace.config, path)
    found = sorted({memory_path(workspace.config, entry) for entry in entries})
    if len(found) > 1:
        message = say(workspace.lang, "tool.several-paths", paths=", ".join(found))
        raise UsageError(message, hint=say(workspace.lang, "tool.several-paths.hint"))
    return found[0]
