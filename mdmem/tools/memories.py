"""The tools for single memories: `memory_fact`, `memory_replace`, `memory_remove`, `memory_tick`, and the like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mdmem.entries.access import AccessPolicy
from mdmem.entries.gate import plan_number
from mdmem.errors import RefusedError, UsageError
from mdmem.facade import Facade
from mdmem.history.provenance import memory_path
from mdmem.messages.catalog import say
from mdmem.text.document import parse
from mdmem.tools import model
from mdmem.tools.client import ToolClient, from_base
from mdmem.tools.memory_paths import existing_path
from mdmem.tools.model import ToolReply
from mdmem.tools.text_files import refuse_mask

if TYPE_CHECKING:
    from mdmem.entries.forget.model import ForgetResult


def memory_fact(
    host: Facade,
    client: ToolClient,
    subject: str,
    predicate: str,
    content: str,
    type: str = "",  # noqa: A002 - published
    source: str = "",
    *,
    also: bool = False,
) -> ToolReply:
    """Record a fact; the value that it replaces moves to the older ones (K004, K018)."""
    outcome = host.facts.set(
        subject, predicate, content, type=type, source=source, also=also, actor=client.actor, reason="memory_fact"
    )
    return model.reply_from_outcome(outcome)


def memory_replace(host: Facade, client: ToolClient, entry: str, content: str, path: str | None = None) -> ToolReply:
    """Replace the text of an entry."""
    inside = _path(host, path, [entry])
    refuse_mask(host, inside, content)
    by: dict[str, Any] = {"actor": client.actor, "reason": "memory_replace"}
    outcome = from_base(client, inside, lambda base: host.replace(inside, entry, content, expect=base, **by))
    return model.reply_from_outcome(outcome)


def memory_remove(host: Facade, client: ToolClient, entries: Sequence[str], path: str | None = None) -> ToolReply:
    """Move entries to the archive."""
    inside = _path(host, path, entries)
    by: dict[str, Any] = {"actor": client.actor, "reason": "memory_remove"}
    outcome = from_base(client, inside, lambda base: host.remove(inside, entries, expect=base, **by))
    return model.reply_from_outcome(outcome)


def memory_tick(
    host: Facade, client: ToolClient, entry: str, path: str | None = None, *, done: bool = True
) -> ToolReply:
    """Mark an entry as done or open."""
    inside = _path(host, path, [entry])
    by: dict[str, Any] = {"actor": client.actor, "reason": "memory_tick"}
    outcome = from_base(client, inside, lambda base: host.tick(inside, entry, done=done, expect=base, **by))
    return model.reply_from_outcome(outcome)


def memory_undo(host: Facade, client: ToolClient, id: str | None = None) -> ToolReply:  # noqa: A002 - published
    """Undo a change."""
    return model.reply_from_outcome(host.history.undo(id or None, actor=client.actor, reason="memory_undo"))


def memory_forget(host: Facade, client: ToolClient, text: str, *, confirm: int = 0) -> ToolReply:
    """List where a text is, with the number of this plan; with that number in `confirm`, remove the text everywhere."""
    planned = host.forget(text, dry_run=True, actor=client.actor)
    _may_forget(host, client, planned)
    if planned.status == "unchanged":
        return ToolReply("unchanged", planned.message, planned.hint)
    listed = _listed(planned)
    number = plan_number(text, listed, *(one.what for one in planned.places))
    if confirm != number:
        ask = say(host.lang, "tool.forget-confirm", number=number)
        return ToolReply("planned", planned.message, "; ".join(filter(None, (ask, planned.hint))), text=listed)
    if host.config.settings.memory.forget == "ask":
        return model.reply_from_outcome(host.inbox.ask_forget(text, actor=client.actor))
    done = host.forget(text, actor=client.actor)
    ident = done.transaction.id if done.transaction else ""
    return ToolReply("done", done.message, done.hint, text=_listed(done), transaction=ident)


def _listed(result: ForgetResult) -> str:
    """Return the places in files, one per line."""
    return "\n".join(f"{one.path}:{one.line} {one.what} {one.text}".rstrip() for one in result.places if one.path)


def _may_forget(host: Facade, client: ToolClient, planned: ForgetResult) -> None:
    """Refuse a plan that changes files that need the user's confirmation, or that would nearly empty a file.

    Raises:
        RefusedError: this actor may not change a file, or a file would lose most of its entries for good.
    """
    access, settings = AccessPolicy(host.config, client.actor), host.config.settings.pen
    for path in sorted({one.path for one in planned.places if one.path}):
        if access.waits(path):
            access.stop(RefusedError, "pen.only-user", path)
    for path, gone in Counter(one.path for one in planned.places if one.what == "entry").items():
        count = len(parse(host.read(path).text.encode("utf-8", "surrogateescape")).entries)
        if gone >= settings.shrink_entries and gone > settings.shrink_ratio * count:
            message = say(host.lang, "tool.forget-user", path=path, gone=gone, count=count)
            raise RefusedError(message, hint=say(host.lang, "tool.forget-user.hint"), path=path)


def _path(host: Facade, path: str | None, entries: Sequence[str]) -> str:
    """Return the named file, or the file that contains the entries.

    Raises:
        TargetError: the file is missing, or no memory file contains such an entry.
        UsageError: the entries are in several files.
    """
    if path:
        return existing_path(host.config, path)
    paths = sorted({memory_path(host.config, entry) for entry in entries})
    if len(paths) > 1:
        message = say(host.lang, "tool.several-paths", paths=", ".join(paths))
        raise UsageError(message, hint=say(host.lang, "tool.several-paths.hint"))
    return paths[0]
