"""The tool that finds: `memory_search`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mdmem.workspace.search import ARCHIVE
from mdmem.workspace.tools.place import require_memory
from mdmem.workspace.tools.reply import Reply
from mdmem.workspace.tools.words import say

if TYPE_CHECKING:
    from mdmem.workspace import Workspace
    from mdmem.workspace.search import Hit


def memory_search(
    workspace: Workspace,
    actor: str,  # noqa: ARG001 - every tool is called so
    query: str,
    limit: int | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Reply:
    """Find entries and other text, a line for each: place, date, heading, text."""
    require_memory(workspace.config)
    lang = workspace.lang
    found = workspace.search(query, limit, since=since, until=until)
    warning = workspace.search_warning(query)
    if not found:
        return Reply("done", say(lang, "no-hits", query=query[:80]), warning or say(lang, "no-hits.hint"))
    return Reply("done", say(lang, "hits", count=len(found)), warning, text="\n".join(map(_line, found)))


def _line(one: Hit) -> str:
    about = " · ".join(part for part in (one.date, one.section, one.kind if one.kind == ARCHIVE else "") if part)
    return f"{one.path}:{one.line}{f' ({about})' if about else ''}: {' '.join(one.text.split())}"
